/** Makes a credential or changes one: choose what it is for, fill the form, save, and see whether the service takes it. */
import { ExternalLink } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import layout from "../shared/layout.module.css";
import { ProjectField } from "../shared/ProjectField";
import { AsyncContent, Button, cx, errorText, Field, FormDialog, Input, toast } from "../ui";
import { CredentialForm } from "./CredentialForm";
import { CredentialTypePicker } from "./CredentialTypePicker";
import {
  type Credential,
  createCredential,
  type TestResult,
  testCredential,
  updateCredential,
} from "./credentialApi";
import {
  type CredentialValues,
  credentialData,
  listFields,
  validateFields,
} from "./credentialFields";
import { CredentialTypes, useCredentialTypesQuery } from "./credentialTypes";

interface Props {
  open: boolean;
  onClose: () => void;
  /** What it is for, where that is known already. */
  kind?: string;
  /** The one to change; without it a new one is made. */
  credential?: Credential;
  onSaved?: (credential: Credential) => void;
}

export function CredentialDialog(props: Props) {
  // Each opening begins anew, so that nothing typed before is left in the form.
  return props.open ? (
    <DialogContent key={`${props.credential?.id} ${props.kind}`} {...props} />
  ) : null;
}

function DialogContent({ onClose, kind: given, credential, onSaved }: Props) {
  const [chosen, setChosen] = useState<string | null>(credential?.type ?? given ?? null);
  const [saved, setSaved] = useState<Credential | undefined>(credential);
  const [name, setName] = useState(credential?.name ?? "");
  const [project, setProject] = useState<string>();
  const [values, setValues] = useState<CredentialValues>({});
  const [result, setResult] = useState<TestResult | null>(null);
  const types = useCredentialTypesQuery();
  const isNew = saved === undefined;
  const kind = useMemo(
    () => (chosen === null ? null : (types.data ?? new CredentialTypes([])).find(chosen)),
    [chosen, types.data],
  );
  const fields = useMemo(() => (kind ? listFields(kind) : []), [kind]);
  const wrong = validateFields(fields, values, isNew);
  const named = name.trim() || (kind ? `${kind.name} account` : "");

  useEffect(() => {
    if (!credential && given) setChosen(given);
  }, [credential, given]);

  // What was tested stays in sight until it is closed, or changed again.
  const isDone =
    result?.status === "OK" && Object.keys(values).length === 0 && name === saved?.name;

  const save = async () => {
    if (isDone) return true;
    if (chosen === null) return false;
    const data = credentialData(values);
    const next = saved
      ? await updateCredential(saved.id, named, data)
      : await createCredential({
          name: named,
          type: chosen,
          data,
          ...(project ? { projectId: project } : {}),
        });
    setSaved(next);
    setName(next.name);
    setValues({});
    onSaved?.(next);
    const tested = await testCredential(next.id).catch((error) => ({
      status: "Error" as const,
      message: errorText(error),
    }));
    setResult(tested);
    if (!hasNoTest(tested)) return false;
    toast({ text: `${next.name} saved`, tone: "good" });
  };

  if (kind === null) {
    return (
      <FormDialog title="New credential" onSubmit={save} onClose={onClose}>
        <CredentialTypePicker onChoose={setChosen} />
      </FormDialog>
    );
  }
  return (
    <FormDialog
      title={isNew ? `New credential: ${kind.name}` : `${kind.name}: ${saved.name}`}
      action={isDone ? "Done" : "Save and test"}
      cancel={isDone ? "Close" : result ? "Done" : "Cancel"}
      aside={isNew && !given && <Button onClick={() => setChosen(null)}>Back</Button>}
      invalid={Object.keys(wrong).length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name" hint="Shown when you select a credential in a node.">
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder={named}
          maxLength={128}
          autoFocus={!isNew}
        />
      </Field>
      <AsyncContent query={types} lines={3} />
      <CredentialForm
        fields={fields}
        values={values}
        onChange={setValues}
        problems={wrong}
        isNew={isNew}
      />
      {isNew && (
        <ProjectField
          value={project}
          onChange={setProject}
          hint="Workflows in this project can use it. You can share it with other projects later."
        />
      )}
      {kind.helpUrl && isNew && (
        <a href={kind.helpUrl} target="_blank" rel="noreferrer noopener" className={layout.row}>
          {" "}
          Get a key <ExternalLink size={13} aria-hidden />
        </a>
      )}
      {!isNew && (
        <p className={layout.faint}>
          Saved values are encrypted and never shown again. Enter a new value to replace one.
        </p>
      )}
      {result && !hasNoTest(result) && (
        <p className={cx(layout.note, result.status === "OK" && layout.good)} role="status">
          {result.status === "OK"
            ? `Saved. ${result.message || "The test succeeded."}`
            : `Saved, but the test failed: ${result.message}`}
        </p>
      )}
    </FormDialog>
  );
}

/** Some kinds fit any service, so there is nothing to ask whether they work. */
function hasNoTest(result: TestResult): boolean {
  return /no test/i.test(result.message);
}
