/** The parameters that are shown for the values there are, one below the other. */

import { useMemo } from "react";
import type { JsonObject, Param, ParamPath } from "../graph/json";
import { visibleParams, withDefaults } from "../graph/visibleParams";
import { useForm } from "../store/formContext";
import css from "./Field.module.css";
import { ParamField } from "./ParamField";

interface ParamFormProps {
  params: readonly Param[];
  /** The stored values at the path. */
  values: JsonObject;
  path: ParamPath;
}

export function ParamForm({ params, values, path }: ParamFormProps) {
  const { version, top } = useForm();
  const visible = useMemo(() => {
    const place = path.length === 0 ? { version } : { version, top };
    return visibleParams(params, withDefaults(params, values, place), place);
  }, [params, values, version, top, path.length]);
  return (
    <div className={css.form}>
      {visible.map((param) => (
        <ParamField
          key={`${param.name} ${param.kind.type}`}
          param={param}
          values={values}
          path={[...path, param.name]}
        />
      ))}
    </div>
  );
}
