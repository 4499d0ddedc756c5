/** The brackets of code close themselves; whoever types what stands there already goes over it instead of doubling it. */

import { codeAt } from "../graph/template";

/** Takes away the text from `from` to `to` and puts the cursor at `cursor`. */
export interface TypeOverEdit {
  from: number;
  to: number;
  cursor: number;
}

/** What typing one character at a position comes to where it is there already; nothing if it is to be written. */
export function typeOver(
  text: string,
  position: number,
  character: string,
): TypeOverEdit | undefined {
  if (character !== " " && character !== "}") return undefined;
  const code = codeAt(text, position);
  if (!code) return character === "}" ? isSecondBrace(text, position) : undefined;
  if (!code.closed) return undefined;
  const before = text.slice(code.from + 2, position);
  const after = text.slice(position, code.to);
  if (character === " ")
    return before === " " && after === " }}"
      ? { from: position, to: position, cursor: position }
      : undefined;
  if (!/^\s*\}\}$/.test(after) || braceDepth(before) > 0) return undefined;
  // A space of one's own before the end takes the place of the one that came with the brackets.
  const surplus = /\s$/.test(before) ? after.length - 2 : 0;
  return { from: position, to: position + surplus, cursor: code.to - surplus - 1 };
}

/** The cursor stands between the closing braces: the second one is gone over like the first. */
function isSecondBrace(text: string, position: number): TypeOverEdit | undefined {
  const code = codeAt(text, position - 1);
  const isBetween = code?.closed && code.to === position + 1;
  return isBetween ? { from: position, to: position, cursor: position + 1 } : undefined;
}

/** How many braces are still open: a brace that closes an object of the code is written. */
function braceDepth(code: string): number {
  return code.split("{").length - code.split("}").length;
}
