// Not written yet.
export default function SettingsPage() {
  return null;
}
