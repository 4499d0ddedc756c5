/** The icon and the hue of a node type, as its description says; a type that is not known is recognized by its name. */
import { CircleHelp, Clock, type LucideIcon, Wrench } from "lucide-react";
import type { TypeSpec } from "../graph/typeSpec";
import { ICONS } from "./icons";

/** What of a description decides how a type looks. */
export type NodeLook = Pick<TypeSpec, "group" | "icon">;

export function iconOf(type: string, look: NodeLook | undefined): LucideIcon {
  if (look) return ICONS[look.icon ?? ""] ?? CircleHelp;
  if (/trigger$/i.test(type)) return Clock;
  return /tool$/i.test(type) ? Wrench : CircleHelp;
}

/** The family whose hue the icon's tile has. */
export function hueOf(type: string, look: NodeLook | undefined): string {
  if (look?.group === "files") return "data";
  if (look?.group === "integration") return "service";
  return look?.group ?? (/trigger$/i.test(type) ? "trigger" : "service");
}
