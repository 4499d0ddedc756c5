/** What the rows are narrowed by: a search, and conditions on columns as chips that can be taken away. */
import { ListFilter } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Button, Chip, Field, Input, Popover, SearchInput, Select } from "../../ui";
import { conditionLabel, operatorsOf, type RowView } from "./rowQuery";
import type { TableColumn } from "./tableApi";

interface Props {
  columns: readonly TableColumn[];
  view: RowView;
  onView: (change: Partial<RowView>) => void;
}

export function RowFilterBar({ columns, view, onView }: Props) {
  return (
    <>
      <SearchInput
        className={layout.search}
        label="Search rows"
        placeholder="Search rows"
        value={view.search}
        onChange={(search) => onView({ search })}
      />
      <NewConditionForm
        columns={columns}
        onAdd={(condition) => onView({ conditions: [...view.conditions, condition] })}
      />
      {view.conditions.map((condition, index) => (
        <Chip
          key={index}
          label={conditionLabel(condition)}
          onRemove={() => onView({ conditions: view.conditions.filter((_, at) => at !== index) })}
          removeLabel={`Remove filter ${conditionLabel(condition)}`}
        />
      ))}
    </>
  );
}

function NewConditionForm({
  columns,
  onAdd,
}: {
  columns: readonly TableColumn[];
  onAdd: (condition: RowView["conditions"][number]) => void;
}) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState<string>();
  const [operator, setOperator] = useState<string>();
  const [value, setValue] = useState("");
  const column = columns.find((one) => one.name === name) ?? columns[0];
  const operators = operatorsOf(column?.type ?? "string");
  const chosen = operators.find((one) => one.value === operator) ?? operators[0];
  const add = () => {
    if (!column || !chosen) return;
    onAdd({ column: column.name, operator: chosen.value, value });
    setValue("");
    setOpen(false);
  };
  return (
    <Popover
      label="New filter"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button icon={ListFilter} disabled={columns.length === 0}>
          Filter
        </Button>
      }
    >
      <form
        className={layout.stack}
        style={{ width: 260 }}
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Field label="Column">
          <Select
            label="Column"
            value={column?.name}
            options={columns.map((one) => ({ value: one.name, label: one.name }))}
            onChange={setName}
          />
        </Field>
        <Field label="Condition">
          <Select
            label="Condition"
            value={chosen?.value}
            options={operators}
            onChange={setOperator}
          />
        </Field>
        <Field label="Value" hint="Leave empty to find rows without a value.">
          <Input value={value} onChange={(event) => setValue(event.target.value)} autoFocus />
        </Field>
        <Button kind="primary" type="submit">
          Add filter
        </Button>
      </form>
    </Popover>
  );
}
