import { useState } from "react";
import { createRoot } from "react-dom/client";
import dayjs from "dayjs";
import { App, AutoComplete, Button, Checkbox, DatePicker, Dropdown, Form, Input, InputNumber, Modal, Popconfirm, Radio, Select, Space, Switch, Table, Tabs } from "antd";

const record = (window.record = {});

function Orders() {
  const [rows, setRows] = useState([
    { key: 1, name: "Lamp", price: 49 },
    { key: 2, name: "Chair", price: 120 },
    { key: 3, name: "Desk", price: 310 },
  ]);
  record.orders = rows.map((r) => r.name);
  return (
    <Table pagination={false} dataSource={rows} columns={[
      { title: "Name", dataIndex: "name", sorter: (a, b) => a.name.localeCompare(b.name) },
      { title: "Price", dataIndex: "price" },
      { title: "", key: "act", render: (_, r) => (
        <Popconfirm title="Delete this order?" okText="Yes, delete" cancelText="No" onConfirm={() => setRows((old) => old.filter((o) => o.key !== r.key))}>
          <Button size="small">Delete</Button>
        </Popconfirm>) },
    ]} />
  );
}

function Page() {
  const { message } = App.useApp();
  const [modal, contextHolder] = Modal.useModal();
  return (
    <>
      {contextHolder}
      <h1>Order</h1>
      <Form layout="vertical" initialValues={{ wrap: false }} onFinish={(v) => { record.order = { ...v, day: v.day?.format("YYYY-MM-DD") }; message.success("The order is saved"); }}>
        <Form.Item label="Customer" name="customer" rules={[{ required: true }]}><Input /></Form.Item>
        <Form.Item label="Size" name="size"><Select options={[{ value: "s", label: "Small" }, { value: "m", label: "Medium" }, { value: "l", label: "Large" }]} /></Form.Item>
        <Form.Item label="Tags" name="tags"><Select mode="multiple" options={["Urgent", "Gift", "Repeat"].map((value) => ({ value, label: value }))} /></Form.Item>
        <Form.Item label="City" name="city"><AutoComplete options={["Lisbon", "London", "Lyon"].map((value) => ({ value }))} filterOption={(text, o) => o.value.toLowerCase().includes(text.toLowerCase())} /></Form.Item>
        <Form.Item label="Day" name="day"><DatePicker defaultPickerValue={dayjs("2026-03-01")} /></Form.Item>
        <Form.Item label="Amount" name="amount"><InputNumber min={1} max={99} /></Form.Item>
        <Form.Item name="wrap" valuePropName="checked"><Checkbox>Gift wrap</Checkbox></Form.Item>
        <Form.Item label="Express" name="express" valuePropName="checked"><Switch /></Form.Item>
        <Form.Item label="Payment" name="pay"><Radio.Group options={["Card", "Invoice"]} /></Form.Item>
        <Button type="primary" htmlType="submit">Save order</Button>
      </Form>
      <h2>More</h2>
      <Space>
        <Button danger onClick={() => modal.confirm({ title: "Cancel everything?", content: "All orders will be cancelled.", okText: "Cancel them", cancelText: "Keep them", onOk: () => { record.cancelled = true; message.info("All orders are cancelled"); } })}>Cancel all</Button>
        <Dropdown trigger={["click"]} menu={{ items: [{ key: "csv", label: "As CSV" }, { key: "pdf", label: "As PDF" }], onClick: ({ key }) => { record.exported = key; message.info("Exported as " + key); } }}>
          <Button>Export</Button>
        </Dropdown>
      </Space>
      <Tabs items={[{ key: "open", label: "Open orders", children: <Orders /> }, { key: "past", label: "Past orders", children: <p>No past orders</p> }]} />
    </>
  );
}

createRoot(document.getElementById("root")).render(<App><Page /></App>);
