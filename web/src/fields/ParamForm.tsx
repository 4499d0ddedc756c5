/** The parameters that are shown for the values there are, one below the other. */

import { useMemo } from "react";
import css from "./Field.module.css";
import { useForm } from "./form";
import { ParamField } from "./ParamField";
import { complete, shown } from "./shown";
import type { JsonObject, Param, Path } from "./spec";

interface ParamFormProps {
  params: readonly Param[];
  /** The stored values at the path. */
  values: JsonObject;
  path: Path;
}

export function ParamForm({ params, values, path }: ParamFormProps) {
  const { version, top } = useForm();
  const visible = useMemo(() => {
    const place = path.length === 0 ? { version } : { version, top };
    return shown(params, complete(params, values, place), place);
  }, [params, values, version, top, path.length]);
  return (
    <div className={css.form}>
      {visible.map((param) => (
        <ParamField key={`${param.name} ${param.kind.type}`} param={param} values={values} path={[...path, param.name]} />
      ))}
    </div>
  );
}
