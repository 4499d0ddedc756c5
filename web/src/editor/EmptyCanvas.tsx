/** What an empty canvas says: how to begin. */

import { LayoutTemplate, Plus } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import { Kbd } from "../ui";
import { openAddPanel } from "./commands";
import css from "./EmptyCanvas.module.css";

export const EmptyCanvas = memo(function EmptyCanvas() {
  return (
    <div className={css.empty}>
      <button type="button" className={css.first} onClick={() => openAddPanel({})}>
        <Plus size={22} aria-hidden />
        <span>Add first step</span>
      </button>
      <p>
        Press <Kbd keys="Tab" /> to search, paste nodes from Heddle or n8n, or drop a workflow file.
      </p>
      <p>
        <Link href="/templates" className={css.link}>
          <LayoutTemplate size={14} aria-hidden /> Start from a template
        </Link>
      </p>
    </div>
  );
});
