// Copies a text and says so on the spot.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./Button";
import { toast } from "./Toasts";

const SHOWN_MS = 1500;

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), SHOWN_MS);
    } catch {
      toast({
        text: "The browser blocked copying. Select the text and copy it manually.",
        tone: "bad",
      });
    }
  };
  return (
    <IconButton
      icon={done ? Check : Copy}
      label={done ? "Copied" : label}
      size="small"
      onClick={copy}
    />
  );
}
