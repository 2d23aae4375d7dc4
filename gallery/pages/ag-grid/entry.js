import { AllCommunityModule, ModuleRegistry, createGrid } from "ag-grid-community";

ModuleRegistry.registerModules([AllCommunityModule]);

const record = (window.record = { edits: [] });

createGrid(document.getElementById("grid"), {
  defaultColDef: { sortable: true, flex: 1 },
  rowSelection: { mode: "multiRow" },
  columnDefs: [
    { field: "customer", headerName: "Customer", filter: true },
    { field: "city", headerName: "City", editable: true },
    { field: "total", headerName: "Total", editable: true },
  ],
  rowData: [
    { customer: "Lind", city: "Oslo", total: 120 },
    { customer: "Abel", city: "Bergen", total: 80 },
    { customer: "Moe", city: "Tromsø", total: 310 },
  ],
  onSortChanged: (e) => (record.sorted = e.api.getColumnState().filter((c) => c.sort).map((c) => c.colId + " " + c.sort)),
  onCellValueChanged: (e) => record.edits.push([e.data.customer, e.colDef.field, String(e.newValue)]),
  onSelectionChanged: (e) => (record.selected = e.api.getSelectedRows().map((r) => r.customer)),
});
