/** Whether a text could be the address of a document. */
export function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text.trim());
}
