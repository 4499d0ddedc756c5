// Not written yet.
export default function WorkflowsPage() {
  return null;
}
