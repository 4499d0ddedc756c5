/** Makes a credential or changes one: choose what it is for, fill the form, save, and see whether the service takes it. */
import { ExternalLink } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, Dialog, ErrorState, errorText, Field, Input, Select, Skeleton, toast, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectApi";
import { CredentialForm } from "./CredentialForm";
import { CredentialTypePicker } from "./CredentialTypePicker";
import {
  type Credential,
  createCredential,
  type TestResult,
  testCredential,
  updateCredential,
  useCredentialSchema,
} from "./credentialApi";
import { type CredentialValues, credentialData, listFields, validateFields } from "./credentialFields";
import { findKind } from "./credentialKinds";

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
  return props.open ? <DialogContent key={`${props.credential?.id} ${props.kind}`} {...props} /> : null;
}

function DialogContent({ onClose, kind: given, credential, onSaved }: Props) {
  const [chosen, setChosen] = useState<string | null>(credential?.type ?? given ?? null);
  const [saved, setSaved] = useState<Credential | undefined>(credential);
  const [name, setName] = useState(credential?.name ?? "");
  const [project, setProject] = useState<string>();
  const [values, setValues] = useState<CredentialValues>({});
  const [asked, setAsked] = useState(false);
  const [result, setResult] = useState<TestResult | null>(null);
  const schema = useCredentialSchema(chosen);
  const projects = useProjects();
  const task = useAsyncAction();
  const isNew = saved === undefined;
  const kind = chosen === null ? null : findKind(chosen);
  const fields = useMemo(() => (chosen && schema.data ? listFields(chosen, schema.data) : []), [chosen, schema.data]);
  const wrong = validateFields(fields, values, isNew);
  const named = name.trim() || (kind ? `${kind.name} account` : "");

  useEffect(() => {
    if (!credential && given) setChosen(given);
  }, [credential, given]);

  const save = () =>
    task.run(async () => {
      setAsked(true);
      if (Object.keys(wrong).length > 0 || chosen === null) return;
      const data = credentialData(values);
      const next = saved
        ? await updateCredential(saved.id, named, data)
        : await createCredential({ name: named, type: chosen, data, ...(project ? { projectId: project } : {}) });
      setSaved(next);
      setName(next.name);
      setValues({});
      setAsked(false);
      onSaved?.(next);
      const tested = await testCredential(next.id).catch((error) => ({ status: "Error" as const, message: errorText(error) }));
      setResult(tested);
      if (tested.status === "Error" && !hasNoTest(tested)) return;
      toast({ text: tested.status === "OK" ? `${next.name} saved and tested` : `${next.name} saved`, tone: "good" });
      onClose();
    });

  if (kind === null) {
    return (
      <Dialog open onClose={onClose} title="New credential">
        <CredentialTypePicker onChoose={setChosen} />
      </Dialog>
    );
  }
  const footer = (
    <>
      {isNew && !given && <Button onClick={() => setChosen(null)}>Back</Button>}
      <span className={layout.fill} />
      <Button onClick={onClose}>{result ? "Done" : "Cancel"}</Button>
      <Button kind="primary" busy={task.busy} onClick={save}>
        {isNew ? "Save and test" : "Save"}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={isNew ? `New credential: ${kind.name}` : `${kind.name}: ${saved.name}`} footer={footer}>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
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
        {schema.isPending && <Skeleton lines={3} />}
        {schema.error && <ErrorState error={schema.error} onRetry={() => void schema.refetch()} />}
        <CredentialForm fields={fields} values={values} onChange={setValues} mistakes={asked ? wrong : {}} isNew={isNew} />
        {isNew && (projects.data?.length ?? 0) > 1 && (
          <Field label="Project" hint="Workflows in this project can use it. You can share it with other projects later.">
            <Select
              label="Project"
              value={project}
              onChange={setProject}
              placeholder="Personal"
              options={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
            />
          </Field>
        )}
        {kind.link && isNew && (
          <a href={kind.link} target="_blank" rel="noreferrer noopener" className={layout.row}>
            {" "}
            Get a key <ExternalLink size={13} aria-hidden />
          </a>
        )}
        {!isNew && (
          <p className={layout.faint}>Saved values are encrypted and never shown again. Enter a new value to replace one.</p>
        )}
        {Boolean(task.error) && <ErrorState error={task.error} />}
        {result?.status === "Error" && (
          <p className={layout.note} role="status">
            Saved, but the test failed: {result.message}
          </p>
        )}
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
    </Dialog>
  );
}

/** Some kinds fit any service, so there is nothing to ask whether they work. */
function hasNoTest(result: TestResult): boolean {
  return /no test/i.test(result.message);
}
