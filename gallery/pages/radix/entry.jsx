import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Accordion, AlertDialog, Checkbox, Dialog, DropdownMenu, Label, Popover, RadioGroup, Select, Slider, Switch, Tabs, Toggle } from "radix-ui";
import "./look.css";

const record = (window.record = {});

function Page() {
  const [said, setSaid] = useState("");
  return (
    <>
      <h1>Settings</h1>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger>Account</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="layer">
            <DropdownMenu.Item onSelect={() => { record.account = "profile"; setSaid("Profile opened"); }}>Profile</DropdownMenu.Item>
            <DropdownMenu.Item onSelect={() => { record.account = "invoices"; setSaid("Invoices opened"); }}>Invoices</DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>{" "}
      <Dialog.Root>
        <Dialog.Trigger>Rename</Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="dialog">
            <Dialog.Title>Rename the team</Dialog.Title>
            <Dialog.Description>Everybody sees the new name.</Dialog.Description>
            <label>New name <input onChange={(e) => (record.name = e.target.value)} /></label>
            <Dialog.Close onClick={() => setSaid("Renamed to " + record.name)}>Save name</Dialog.Close>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>{" "}
      <AlertDialog.Root>
        <AlertDialog.Trigger>Delete team</AlertDialog.Trigger>
        <AlertDialog.Portal>
          <AlertDialog.Overlay className="overlay" />
          <AlertDialog.Content className="dialog">
            <AlertDialog.Title>Delete the team?</AlertDialog.Title>
            <AlertDialog.Description>This cannot be undone.</AlertDialog.Description>
            <AlertDialog.Cancel>Keep it</AlertDialog.Cancel>
            <AlertDialog.Action onClick={() => { record.deleted = true; setSaid("The team is gone"); }}>Delete it</AlertDialog.Action>
          </AlertDialog.Content>
        </AlertDialog.Portal>
      </AlertDialog.Root>
      <p role="status">{said}</p>
      <Tabs.Root defaultValue="general" onValueChange={(v) => (record.tab = v)}>
        <Tabs.List aria-label="Sections">
          <Tabs.Trigger value="general">General</Tabs.Trigger>
          <Tabs.Trigger value="privacy">Privacy</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="general">Language and time</Tabs.Content>
        <Tabs.Content value="privacy">Who may see what</Tabs.Content>
      </Tabs.Root>
      <p>
        <Checkbox.Root id="news" className="box" onCheckedChange={(v) => (record.news = v)}><Checkbox.Indicator>✓</Checkbox.Indicator></Checkbox.Root>{" "}
        <Label.Root htmlFor="news">Newsletter</Label.Root>
      </p>
      <p>
        <label htmlFor="dark">Dark mode</label>{" "}
        <Switch.Root id="dark" className="box" onCheckedChange={(v) => (record.dark = v)}><Switch.Thumb>·</Switch.Thumb></Switch.Root>
      </p>
      <p><Toggle.Root className="box" onPressedChange={(v) => (record.pinned = v)}>Pinned</Toggle.Root></p>
      <RadioGroup.Root aria-label="Plan" onValueChange={(v) => (record.plan = v)}>
        {["Free", "Pro", "Team"].map((p) => (
          <div key={p}><RadioGroup.Item className="box" id={"plan-" + p} value={p}><RadioGroup.Indicator>●</RadioGroup.Indicator></RadioGroup.Item> <label htmlFor={"plan-" + p}>{p}</label></div>
        ))}
      </RadioGroup.Root>
      <Select.Root onValueChange={(v) => (record.fruit = v)}>
        <Select.Trigger aria-label="Fruit"><Select.Value placeholder="Choose a fruit" /></Select.Trigger>
        <Select.Portal>
          <Select.Content className="layer">
            <Select.Viewport>
              {["Apple", "Pear", "Plum"].map((f) => <Select.Item key={f} value={f}><Select.ItemText>{f}</Select.ItemText></Select.Item>)}
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
      <Accordion.Root type="single" collapsible>
        <Accordion.Item value="ship"><Accordion.Header><Accordion.Trigger>Shipping</Accordion.Trigger></Accordion.Header><Accordion.Content>Within three days</Accordion.Content></Accordion.Item>
        <Accordion.Item value="back"><Accordion.Header><Accordion.Trigger>Returns</Accordion.Trigger></Accordion.Header><Accordion.Content>Within thirty days</Accordion.Content></Accordion.Item>
      </Accordion.Root>
      <Popover.Root>
        <Popover.Trigger>Filter</Popover.Trigger>
        <Popover.Portal><Popover.Content className="layer" aria-label="Filter by price"><label>At most <input type="number" onChange={(e) => (record.most = e.target.value)} /></label> <Popover.Close>Close filter</Popover.Close></Popover.Content></Popover.Portal>
      </Popover.Root>
      <Slider.Root className="slider" defaultValue={[50]} onValueChange={(v) => (record.volume = v[0])}>
        <Slider.Track className="track"><Slider.Range /></Slider.Track><Slider.Thumb className="thumb" aria-label="Volume" />
      </Slider.Root>
    </>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
