/** The bar above the canvas: name, folder, tags, saved state, versions, the switch that lets it listen, and the button that runs it. */

import {
  Check,
  CircleDot,
  Copy,
  Download,
  Ellipsis,
  FileUp,
  History,
  Keyboard,
  LayoutGrid,
  Save,
  Settings2,
  Share2,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { api, queryClient } from "../api/client";
import { useCanEdit } from "../api/session";
import { urlPath } from "../api/url";
import { type DraftState, useDraftState } from "../drafts/autosave";
import { useProblems } from "../drawer/useProblems";
import { setWorkflowName } from "../graph/document";
import { useCanvas } from "../store/canvasStore";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { errorSentences, saveWorkflow, setWorkflowActive } from "../store/saveWorkflow";
import {
  Button,
  clockTime,
  confirm,
  IconButton,
  Menu,
  plural,
  Switch,
  Tooltip,
  toast,
} from "../ui";
import { duplicateWorkflow } from "../workflows/workflowApi";
import { downloadWorkflow, importFile } from "./clipboard";
import { arrange } from "./commands";
import { FolderPath } from "./FolderPath";
import { RunButton } from "./RunButton";
import { TagsButton } from "./TagsButton";
import css from "./TopBar.module.css";
import { WorkflowSettingsDialog } from "./WorkflowSettingsDialog";

const ShareDialog = lazy(() =>
  import("../chat/ShareChatDialog").then((module) => ({ default: module.ShareChatDialog })),
);

export function TopBar() {
  const isReadOnly = useEditor((state) => state.readOnly);
  const panel = useCanvas((state) => state.panel);
  return (
    <header className={css.bar}>
      <nav className={css.place} aria-label="Breadcrumb">
        <Link href="/workflows" className={css.up}>
          Workflows
        </Link>
        <FolderPath />
        <span aria-hidden>/</span>
        <WorkflowName />
        <TagsButton />
      </nav>
      <div className={css.actions}>
        <ProblemCount />
        <SavedState />
        <IconButton
          icon={History}
          label="Versions"
          active={panel === "versions"}
          onClick={() =>
            useCanvas.setState({ panel: panel === "versions" ? null : "versions", add: null })
          }
        />
        <MoreMenu />
        <span className={css.line} aria-hidden />
        <ActiveSwitch />
        {!isReadOnly && <RunButton />}
      </div>
    </header>
  );
}

/** The name, which is a field as soon as one clicks it. */
function WorkflowName() {
  const name = useEditor((state) => state.draft?.name ?? state.workflow.name);
  const isReadOnly = useEditor((state) => state.readOnly);
  const [text, setText] = useState<string | null>(null);
  const take = () => {
    const wanted = text?.trim();
    setText(null);
    if (wanted)
      useEditor
        .getState()
        .change("Rename workflow", (document) => setWorkflowName(document, wanted));
  };
  if (text === null || isReadOnly) {
    return (
      <h1 className={css.name}>
        <button
          type="button"
          disabled={isReadOnly}
          aria-label={`Name: ${name}. Click to edit`}
          onClick={() => setText(name)}
        >
          {name}
        </button>
      </h1>
    );
  }
  return (
    <input
      className={css.field}
      value={text}
      aria-label="Workflow name"
      maxLength={128}
      autoFocus
      size={Math.max(10, text.length)}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
        if (event.key === "Escape") setText(null);
      }}
    />
  );
}

const DRAFT_HINTS: Record<DraftState["is"], string> = {
  none: "Save to keep this workflow",
  pending: "The draft is being kept in this browser",
  kept: "The draft is kept in this browser until you save or discard it",
  failed: "The draft is too large to be kept in this browser. Save often.",
};

function SavedState() {
  const draft = useDraftState((state) => state.draft);
  const isDirty = useEditor((state) => state.dirty || state.savedVersion === null);
  const isReadOnly = useEditor((state) => state.readOnly);
  const [isBusy, setBusy] = useState(false);
  if (!isDirty) {
    return (
      <span className={css.saved} role="status">
        <Check size={14} aria-hidden /> <span>Saved</span>
      </span>
    );
  }
  const save = async () => {
    setBusy(true);
    await saveWorkflow();
    setBusy(false);
  };
  return (
    <>
      <Tooltip text={DRAFT_HINTS[draft.is]}>
        <span className={css.unsaved} role="status">
          <CircleDot size={12} aria-hidden /> Not saved
          {draft.is === "kept" && (
            <span className={css.draft}>
              {" "}
              · draft kept {clockTime(new Date(draft.at), new Date())}
            </span>
          )}
        </span>
      </Tooltip>
      <Tooltip text="Save" shortcut="mod+s">
        <Button icon={Save} busy={isBusy} disabled={isReadOnly} onClick={() => void save()}>
          Save
        </Button>
      </Tooltip>
    </>
  );
}

/** How much is wrong with the workflow; it leads to the list. */
function ProblemCount() {
  const { problems } = useProblems();
  const show = useDrawer((state) => state.show);
  const stopping = problems.filter(
    (problem) => problem.severity === "error" || problem.stopsNode,
  ).length;
  if (problems.length === 0) return null;
  const words = plural(problems.length, "problem");
  return (
    <Tooltip text={stopping > 0 ? `${words}, ${stopping} blocking` : words}>
      <button
        type="button"
        className={css.problems}
        data-stopping={stopping > 0 || undefined}
        onClick={() => show("problems")}
      >
        <TriangleAlert size={14} aria-hidden />
        {problems.length}
        <span className="visually-hidden"> {words.replace(/^\S+ /, "")}. Show the list</span>
      </button>
    </Tooltip>
  );
}

function ActiveSwitch() {
  const isActive = useEditor((state) => state.workflow.active ?? false);
  const isReadOnly = useEditor((state) => state.readOnly);
  const [isBusy, setBusy] = useState(false);
  const change = async (active: boolean) => {
    setBusy(true);
    await setWorkflowActive(active);
    setBusy(false);
  };
  return (
    <Tooltip text={isActive ? "Triggers are live" : "Runs only when started manually"}>
      <span className={css.active}>
        <span aria-hidden>{isActive ? "Active" : "Inactive"}</span>
        <Switch
          checked={isActive}
          disabled={isBusy || isReadOnly}
          label="Active"
          onChange={(active) => void change(active)}
        />
      </span>
    </Tooltip>
  );
}

function MoreMenu() {
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const canEdit = useCanEdit();
  const [isSharing, setSharing] = useState(false);
  const chat = useEditor(
    (state) => state.workflow.nodes.find((node) => node.type.endsWith(".chatTrigger"))?.name,
  );
  const file = useRef<HTMLInputElement>(null);
  const isReadOnly = useEditor((state) => state.readOnly);
  const id = useEditor((state) => state.workflow.id);
  const copy = async () => {
    try {
      const made = await duplicateWorkflow(useEditor.getState().workflow);
      go(urlPath`/workflow/${made.id}`);
      toast({ text: `“${made.name}” created. You are now editing the copy.` });
    } catch (error) {
      toast({ text: `Could not duplicate workflow. ${errorSentences(error)}`, tone: "bad" });
    }
  };
  const remove = async () => {
    const { name } = useEditor.getState().workflow;
    const text = `“${name}” and its executions will be permanently deleted. This cannot be undone.`;
    if (
      !id ||
      !(await confirm({ title: "Delete this workflow?", text, action: "Delete", danger: true }))
    )
      return;
    try {
      await api.delete(urlPath`/workflows/${id}`);
      useEditor.getState().load(useEditor.getState().workflow, true);
      void queryClient.invalidateQueries({ queryKey: ["workflows"] });
      go("/workflows");
    } catch (error) {
      toast({ text: `Could not delete workflow. ${errorSentences(error)}`, tone: "bad" });
    }
  };
  const press = () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "?" }));
  return (
    <>
      <Menu
        trigger={<IconButton icon={Ellipsis} label="More" />}
        items={[
          {
            label: "Settings",
            icon: Settings2,
            disabled: isReadOnly,
            onSelect: () => setTimeout(() => setOpen(true), 60),
          },
          {
            label: "Arrange",
            icon: LayoutGrid,
            shortcut: "shift+alt+t",
            disabled: isReadOnly,
            onSelect: () => void arrange(),
          },
          null,
          {
            label: "Import from file",
            icon: FileUp,
            disabled: isReadOnly,
            onSelect: () => file.current?.click(),
          },
          { label: "Download as JSON", icon: Download, onSelect: downloadWorkflow },
          ...(chat
            ? [
                {
                  label: "Share chat",
                  icon: Share2,
                  onSelect: () => setTimeout(() => setSharing(true), 60),
                },
              ]
            : []),
          { label: "Duplicate", icon: Copy, disabled: !canEdit, onSelect: () => void copy() },
          null,
          {
            label: "Keyboard shortcuts",
            icon: Keyboard,
            shortcut: "?",
            onSelect: () => setTimeout(press, 60),
          },
          null,
          {
            label: "Delete",
            icon: Trash2,
            danger: true,
            disabled: !id || isReadOnly,
            onSelect: () => setTimeout(() => void remove(), 60),
          },
        ]}
      />
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) void importFile(chosen);
          event.target.value = "";
        }}
      />
      <Suspense fallback={null}>
        {isSharing && chat && <ShareDialog open onClose={() => setSharing(false)} trigger={chat} />}
      </Suspense>
      {isOpen && <WorkflowSettingsDialog onClose={() => setOpen(false)} />}
    </>
  );
}
