/** Named groups of fields, each once or any number of times; entries can be added, moved, repeated and taken away. */

import { ArrowDown, ArrowUp, CopyPlus, Plus, Trash2 } from "lucide-react";
import type { FieldGroup, Json, Param, ParamPath } from "../graph/json";
import { useForm } from "../store/formContext";
import { Button, cx, IconButton, Menu } from "../ui";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import {
  addEntry,
  duplicateEntry,
  entryTitle,
  type GroupEntry,
  moveEntry,
  readEntries,
  removeEntry,
} from "./fieldGroups";
import { ParamForm } from "./ParamForm";
import { useFocusNewEntry } from "./useFocusNewEntry";

interface GroupsFieldProps {
  param: Param;
  groups: readonly FieldGroup[];
  multiple: boolean;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  path: ParamPath;
}

export function GroupsField({ param, groups, multiple, value, onChange, path }: GroupsFieldProps) {
  const { readOnly } = useForm();
  const entries = readEntries(groups, value);
  const free = multiple
    ? groups
    : groups.filter((group) => !entries.some((entry) => entry.group === group));
  const { list, focusWhenAdded, focusWhenMenuCloses, focusNow } = useFocusNewEntry();
  const next = (group: FieldGroup) =>
    keyOf(group, multiple ? entries.filter((entry) => entry.group === group).length : null);
  const add = (group: FieldGroup) => onChange(addEntry(value, group, multiple));
  const [only] = free;
  return (
    <FieldFrame label={param.label} help={param.help} required={param.required}>
      <div ref={list} className={css.sections}>
        {entries.map((entry) => (
          <section
            key={keyOf(entry.group, entry.index)}
            className={css.section}
            aria-label={entryTitle(entry)}
            data-entry={keyOf(entry.group, entry.index)}
          >
            <header className={css.sectionHead}>
              <strong>{entryTitle(entry)}</strong>
              {!readOnly && (
                <EntryActions
                  entry={entry}
                  value={value}
                  onChange={onChange}
                  count={countOf(entries, entry)}
                />
              )}
            </header>
            <div className={cx(isPair(entry.group) && css.beside2)}>
              <ParamForm
                params={entry.group.params}
                values={entry.fields}
                path={pathOf(path, entry)}
              />
            </div>
          </section>
        ))}
      </div>
      {!readOnly && free.length === 1 && only && (
        <Button
          kind="quiet"
          size="small"
          icon={Plus}
          className={css.add}
          onClick={() => {
            focusWhenAdded(next(only));
            add(only);
          }}
        >
          Add {only.label.charAt(0).toLowerCase() + only.label.slice(1)}
        </Button>
      )}
      {!readOnly && free.length > 1 && (
        <Menu
          align="start"
          trigger={
            <Button kind="quiet" size="small" icon={Plus} className={css.add}>
              Add
            </Button>
          }
          items={free.map((group) => ({
            label: group.label,
            onSelect: () => {
              focusWhenMenuCloses(next(group));
              add(group);
            },
          }))}
          onClosed={focusNow}
        />
      )}
      {readOnly && entries.length === 0 && <p className={css.small}>None.</p>}
    </FieldFrame>
  );
}

interface EntryActionsProps {
  entry: GroupEntry;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  count: number;
}

function EntryActions({ entry, value, onChange, count }: EntryActionsProps) {
  const title = entryTitle(entry);
  return (
    <>
      {entry.index !== null && count > 1 && (
        <>
          <IconButton
            icon={ArrowUp}
            label={`Move ${title} up`}
            size="small"
            disabled={entry.index === 0}
            onClick={() => onChange(moveEntry(value, entry, -1))}
          />
          <IconButton
            icon={ArrowDown}
            label={`Move ${title} down`}
            size="small"
            disabled={entry.index === count - 1}
            onClick={() => onChange(moveEntry(value, entry, 1))}
          />
        </>
      )}
      {entry.index !== null && (
        <IconButton
          icon={CopyPlus}
          label={`Duplicate ${title}`}
          size="small"
          onClick={() => onChange(duplicateEntry(value, entry))}
        />
      )}
      <IconButton
        icon={Trash2}
        label={`Remove ${title}`}
        size="small"
        onClick={() => onChange(removeEntry(value, entry))}
      />
    </>
  );
}

/** A name and a value, or the like: two short fields. */
function isPair(group: FieldGroup): boolean {
  return (
    group.params.length === 2 &&
    group.params.every((param) => param.kind.type === "text" || param.kind.type === "choice")
  );
}

function keyOf(group: FieldGroup, index: number | null): string {
  return `${group.name} ${index}`;
}

function countOf(entries: readonly GroupEntry[], entry: GroupEntry): number {
  return entries.filter((one) => one.group === entry.group).length;
}

function pathOf(path: ParamPath, entry: GroupEntry): ParamPath {
  return entry.index === null
    ? [...path, entry.group.name]
    : [...path, entry.group.name, entry.index];
}
