/** The fields that an expression can use, by node, to be clicked into it. */

import { useMemo, useState } from "react";
import { fieldCode } from "../graph/template";
import { useForm } from "../store/formContext";
import { SearchInput } from "../ui";
import css from "./Data.module.css";
import { SchemaTree } from "./SchemaTree";
import { filterSchema, schemaOf } from "./schema";

export function FieldPicker({ onPick }: { onPick: (code: string) => void }) {
  const { scope, directInput } = useForm();
  const [search, setSearch] = useState("");
  const shown = useMemo(() => {
    const own =
      directInput !== null && scope.json !== undefined
        ? [{ name: directInput, json: scope.json }]
        : [];
    const others = scope.nodes.filter(
      (node) => node.name !== directInput && node.json !== undefined,
    );
    const groups = [...own, ...others].map((node) => ({
      name: node.name,
      schema: filterSchema(schemaOf([node.json]), search),
    }));
    return groups.filter((group) => group.schema.length > 0);
  }, [scope, directInput, search]);
  return (
    <>
      <SearchInput
        value={search}
        onChange={setSearch}
        label="Search fields"
        placeholder="Search fields"
      />
      {shown.length === 0 && (
        <p className={css.foot}>
          {search ? "No matching fields." : "Run the previous nodes to see their fields."}
        </p>
      )}
      {shown.map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h4 className={css.groupName}>{group.name}</h4>
          <SchemaTree
            nodes={group.schema}
            allOpen={search !== ""}
            picking={{
              codeOf: (path) => fieldCode({ node: group.name, path }, directInput),
              onPick,
            }}
          />
        </section>
      ))}
    </>
  );
}
