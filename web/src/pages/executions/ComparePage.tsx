// Not written yet.
export default function ComparePage() {
  return null;
}
