/** The fields that an expression can use, by node, to be clicked into it. */

import { useMemo, useState } from "react";
import { fieldCode } from "../expression/template";
import { useForm } from "../fields/form";
import { SearchInput } from "../ui";
import css from "./Data.module.css";
import { SchemaTree } from "./SchemaTree";
import { filterSchema, schemaOf } from "./schema";

export function FieldPicker({ onPick }: { onPick: (code: string) => void }) {
  const { known, directInput } = useForm();
  const [search, setSearch] = useState("");
  const shown = useMemo(() => {
    const own = directInput !== null && known.json !== undefined ? [{ name: directInput, json: known.json }] : [];
    const others = known.nodes.filter((node) => node.name !== directInput && node.json !== undefined);
    const groups = [...own, ...others].map((node) => ({ name: node.name, schema: filterSchema(schemaOf([node.json]), search) }));
    return groups.filter((group) => group.schema.length > 0);
  }, [known, directInput, search]);
  return (
    <>
      <SearchInput value={search} onChange={setSearch} label="Search fields" placeholder="Search fields" />
      {shown.length === 0 && (
        <p className={css.foot}>{search ? "No field fits." : "Run the nodes before this one to see their fields."}</p>
      )}
      {shown.map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h4 className={css.groupName}>{group.name}</h4>
          <SchemaTree
            nodes={group.schema}
            allOpen={search !== ""}
            picking={{ codeOf: (path) => fieldCode({ node: group.name, path }, directInput), onPick }}
          />
        </section>
      ))}
    </>
  );
}
