/** What an empty canvas says: how to begin. */

import { LayoutTemplate, Plus } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import { Kbd } from "../ui";
import { openAdd } from "./commands";
import css from "./EmptyCanvas.module.css";

export const EmptyCanvas = memo(function EmptyCanvas() {
  return (
    <div className={css.empty}>
      <button type="button" className={css.first} onClick={() => openAdd({})}>
        <Plus size={22} aria-hidden />
        <span>Add the first step</span>
      </button>
      <p>
        Press <Kbd keys="Tab" /> to search, paste nodes copied here or in n8n, or drop a workflow file.
      </p>
      <p>
        <Link href="/templates" className={css.link}>
          <LayoutTemplate size={14} aria-hidden /> Begin with a template
        </Link>
      </p>
    </div>
  );
});
