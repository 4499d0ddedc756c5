// Not written yet.
export default function EditorPage() {
  return null;
}
