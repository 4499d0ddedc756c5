/** Optional settings that a person adds one by one from a menu. */

import { Plus, X } from "lucide-react";
import { isObject, type Json, type Param, type ParamPath } from "../graph/json";
import { visibleParams } from "../graph/visibleParams";
import { useForm } from "../store/formContext";
import { Button, IconButton, Menu } from "../ui";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import { ParamField } from "./ParamField";
import { useFocusNewEntry } from "./useFocusNewEntry";

interface CollectionFieldProps {
  param: Param;
  options: readonly Param[];
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  path: ParamPath;
}

export function CollectionField({ param, options, value, onChange, path }: CollectionFieldProps) {
  const { readOnly, version, top } = useForm();
  const values = isObject(value) ? value : {};
  const possible = visibleParams(options, values, { version, top });
  const set = possible.filter((option) => option.name in values);
  const free = possible.filter(
    (option) => !(option.name in values) && option.kind.type !== "notice",
  );
  const { list, focusWhenMenuCloses, focusNow } = useFocusNewEntry();
  const add = (option: Param) => {
    focusWhenMenuCloses(option.name);
    onChange({ ...values, [option.name]: (option.default ?? "") as Json });
  };
  const remove = (option: Param) => {
    const { [option.name]: _, ...rest } = values;
    onChange(Object.keys(rest).length > 0 ? rest : undefined);
  };
  const menu = (
    <Menu
      align="start"
      trigger={
        <Button kind="quiet" size="small" icon={Plus} className={css.add}>
          Add {singular(param.label)}
        </Button>
      }
      items={free.map((option) => ({ label: option.label, onSelect: () => add(option) }))}
      onClosed={focusNow}
    />
  );
  return (
    <FieldFrame label={param.label} help={param.help}>
      {set.length > 0 && (
        <div className={css.section} ref={list}>
          {set.map((option) => (
            <div key={option.name} className={css.option} data-entry={option.name}>
              <ParamField param={option} values={values} path={[...path, option.name]} />
              {!readOnly && (
                <span className={css.takeAway}>
                  <IconButton
                    icon={X}
                    label={`Remove ${option.label}`}
                    size="small"
                    onClick={() => remove(option)}
                  />
                </span>
              )}
            </div>
          ))}
        </div>
      )}
      {free.length > 0 && !readOnly ? menu : set.length === 0 && <p className={css.small}>None.</p>}
    </FieldFrame>
  );
}

/** “Options” becomes “option”: the button adds one of them. */
function singular(label: string): string {
  const word = label.replace(/s$/, "");
  return word.charAt(0).toLowerCase() + word.slice(1);
}
