import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Accordion, AccordionDetails, AccordionSummary, Autocomplete, Box, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle, FormControl, FormControlLabel, FormLabel, InputLabel, Menu, MenuItem, Radio, RadioGroup, Rating, Select, Slider, Snackbar, Switch, Tab, Tabs, TextField, Typography } from "@mui/material";

const record = (window.record = {});

function Page() {
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState("");
  const [anchor, setAnchor] = useState(null);
  const [size, setSize] = useState("");
  const [tab, setTab] = useState(0);
  const close = () => setOpen(false);
  return (
    <Box sx={{ display: "grid", gap: 2, maxWidth: 480 }}>
      <h1>Booking</h1>
      <TextField label="Guest" required onChange={(e) => (record.guest = e.target.value)} />
      <TextField label="Remarks" multiline minRows={2} onChange={(e) => (record.remarks = e.target.value)} />
      <Autocomplete options={["Amsterdam", "Athens", "Berlin", "Bern"]} onChange={(_, v) => (record.city = v)} renderInput={(p) => <TextField {...p} label="City" />} />
      <Autocomplete multiple options={["Pool", "Parking", "Sauna"]} onChange={(_, v) => (record.wishes = v)} renderInput={(p) => <TextField {...p} label="Wishes" />} />
      <FormControl>
        <InputLabel id="size-label">Room</InputLabel>
        <Select labelId="size-label" label="Room" value={size} onChange={(e) => { setSize(e.target.value); record.room = e.target.value; }}>
          <MenuItem value="single">Single</MenuItem>
          <MenuItem value="double">Double</MenuItem>
          <MenuItem value="suite">Suite</MenuItem>
        </Select>
      </FormControl>
      <FormControlLabel control={<Switch onChange={(e) => (record.breakfast = e.target.checked)} />} label="Breakfast" />
      <FormControlLabel control={<Checkbox onChange={(e) => (record.terms = e.target.checked)} />} label="I accept the terms" />
      <FormControl>
        <FormLabel id="pay">Payment</FormLabel>
        <RadioGroup aria-labelledby="pay" onChange={(e) => (record.payment = e.target.value)}>
          <FormControlLabel value="card" control={<Radio />} label="Card" />
          <FormControlLabel value="cash" control={<Radio />} label="Cash" />
        </RadioGroup>
      </FormControl>
      <Typography id="nights">Nights</Typography>
      <Slider aria-labelledby="nights" defaultValue={2} min={1} max={14} onChange={(_, v) => (record.nights = v)} />
      <Rating name="stars" onChange={(_, v) => (record.stars = v)} />
      <Tabs value={tab} onChange={(_, v) => { setTab(v); record.tab = v; }}>
        <Tab label="Details" /><Tab label="Reviews" />
      </Tabs>
      {tab === 0 ? <p>A quiet house by the lake</p> : <p>Four stars, said Ana</p>}
      <Accordion onChange={(_, v) => (record.rules = v)}>
        <AccordionSummary>House rules</AccordionSummary>
        <AccordionDetails>No dogs in the pool</AccordionDetails>
      </Accordion>
      <div>
        <Button id="more" onClick={(e) => setAnchor(e.currentTarget)}>More</Button>
        <Menu anchorEl={anchor} open={!!anchor} onClose={() => setAnchor(null)} slotProps={{ list: { "aria-labelledby": "more" } }}>
          <MenuItem onClick={() => { record.menu = "print"; setSaid("Printed"); setAnchor(null); }}>Print</MenuItem>
          <MenuItem onClick={() => { record.menu = "share"; setSaid("Shared"); setAnchor(null); }}>Share</MenuItem>
        </Menu>
        <Button variant="contained" onClick={() => setOpen(true)}>Book</Button>
      </div>
      <Dialog open={open} onClose={close} aria-labelledby="dlg">
        <DialogTitle id="dlg">Book the room?</DialogTitle>
        <DialogContent><DialogContentText>It is paid at once.</DialogContentText></DialogContent>
        <DialogActions>
          <Button onClick={close}>Not yet</Button>
          <Button onClick={() => { record.booked = true; close(); setSaid("The room is booked"); }}>Yes, book it</Button>
        </DialogActions>
      </Dialog>
      <Snackbar anchorOrigin={{ vertical: "top", horizontal: "right" }} open={!!said} message={said} onClose={(_, why) => why !== "clickaway" && setSaid("")} autoHideDuration={6000} />
    </Box>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
