/** Copies a text and says so, or why it was not allowed. */

import { toast } from "../ui";

export function copyText(text: string, done = "Copied."): void {
  navigator.clipboard.writeText(text).then(
    () => toast({ text: done }),
    () =>
      toast({
        text: "The browser blocked copying. Select the text and copy it manually.",
        tone: "bad",
      }),
  );
}
