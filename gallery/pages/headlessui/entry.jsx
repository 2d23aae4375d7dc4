import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Button, Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Description, Dialog, DialogPanel, DialogTitle, Disclosure, DisclosureButton, DisclosurePanel, Field, Label, Listbox, ListboxButton, ListboxOption, ListboxOptions, Menu, MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch, Tab, TabGroup, TabList, TabPanel, TabPanels } from "@headlessui/react";

const record = (window.record = {});
const people = ["Ana Lind", "Ana Lindberg", "Bo Ek", "Cai Ros"];

function Page() {
  const [person, setPerson] = useState(null);
  const [query, setQuery] = useState("");
  const [colour, setColour] = useState("Red");
  const [on, setOn] = useState(false);
  const [plan, setPlan] = useState(null);
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState("");
  return (
    <>
      <h1>Project</h1>
      <Field>
        <Label>Owner</Label>{" "}
        <Combobox value={person} onChange={(v) => { setPerson(v); record.owner = v; }} onClose={() => setQuery("")}>
          <ComboboxInput displayValue={(p) => p ?? ""} onChange={(e) => setQuery(e.target.value)} />
          <ComboboxOptions anchor="bottom start" style={{ background: "#fff", border: "1px solid #999" }}>
            {people.filter((p) => p.toLowerCase().includes(query.toLowerCase())).map((p) => <ComboboxOption key={p} value={p}>{p}</ComboboxOption>)}
          </ComboboxOptions>
        </Combobox>
      </Field>
      <Field>
        <Label>Colour</Label>{" "}
        <Listbox value={colour} onChange={(v) => { setColour(v); record.colour = v; }}>
          <ListboxButton>{colour}</ListboxButton>
          <ListboxOptions anchor="bottom start" style={{ background: "#fff", border: "1px solid #999" }}>
            {["Red", "Green", "Blue"].map((c) => <ListboxOption key={c} value={c}>{c}</ListboxOption>)}
          </ListboxOptions>
        </Listbox>
      </Field>
      <Field>
        <Label>Public</Label>{" "}
        <Switch checked={on} onChange={(v) => { setOn(v); record.public = v; }} style={{ width: 40, height: 20 }} />
      </Field>
      <RadioGroup aria-label="Plan" value={plan} onChange={(v) => { setPlan(v); record.plan = v; }}>
        {["Free", "Pro"].map((p) => <Field key={p}><Radio value={p} style={{ display: "inline-block", width: 16, height: 16, border: "1px solid #333" }} /> <Label>{p}</Label></Field>)}
      </RadioGroup>
      <Menu>
        <MenuButton>Actions</MenuButton>
        <MenuItems anchor="bottom start" style={{ background: "#fff", border: "1px solid #999" }}>
          <MenuItem><button style={{ display: "block" }} onClick={() => { record.action = "copy"; setSaid("Copied"); }}>Copy</button></MenuItem>
          <MenuItem><button style={{ display: "block" }} onClick={() => { record.action = "archive"; setSaid("Archived"); }}>Archive</button></MenuItem>
        </MenuItems>
      </Menu>{" "}
      <Button onClick={() => setOpen(true)}>Leave project</Button>
      <Dialog open={open} onClose={() => setOpen(false)}>
        <div style={{ position: "fixed", inset: 0, background: "#0006" }} aria-hidden="true" />
        <DialogPanel style={{ position: "fixed", top: 100, left: 200, background: "#fff", padding: 16 }}>
          <DialogTitle>Leave the project?</DialogTitle>
          <Description>You lose access.</Description>
          <Button onClick={() => setOpen(false)}>Stay</Button>{" "}
          <Button onClick={() => { record.left = true; setOpen(false); setSaid("You left"); }}>Leave</Button>
        </DialogPanel>
      </Dialog>
      <p role="status">{said}</p>
      <Disclosure><DisclosureButton>What is a project?</DisclosureButton><DisclosurePanel>A folder with people</DisclosurePanel></Disclosure>
      <TabGroup onChange={(i) => (record.tab = i)}>
        <TabList><Tab>Files</Tab> <Tab>People</Tab></TabList>
        <TabPanels><TabPanel>Three files</TabPanel><TabPanel>Four people</TabPanel></TabPanels>
      </TabGroup>
    </>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
