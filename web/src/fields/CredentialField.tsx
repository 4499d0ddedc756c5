/** The credential that a node uses: chosen, made in place, changed or tried out. */

import { PencilLine, Plus } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { type TestResult, testCredential, useCredentials } from "../credentials/credentialApi";
import { useCredentialTypes } from "../credentials/credentialTypes";
import { useForm } from "../store/formContext";
import { Button, ErrorState, IconButton, Select } from "../ui";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import type { RequiredCredential } from "./requiredCredentials";

const CredentialDialog = lazy(async () => ({
  default: (await import("../credentials/CredentialDialog")).CredentialDialog,
}));

const NEW_OPTION = "\u0000new";
const NO_OPTION = "\u0000none";
const MISSING_TEXT = "Credential not found. Select another or create it.";

export function CredentialField({ kind, required }: RequiredCredential) {
  const { credentials, setCredential, readOnly, lacksCredential } = useForm();
  const stored = useCredentials();
  const types = useCredentialTypes();
  const [dialog, setDialog] = useState<"new" | "edit" | null>(null);
  const [result, setResult] = useState<TestResult | "busy" | null>(null);
  const chosen = credentials[kind];
  const fitting = (stored.data ?? []).filter((one) => one.type === kind);
  const found = fitting.find((one) => one.id === chosen?.id);
  const missing = Boolean(chosen) && !found && stored.isSuccess;
  const isLacking = lacksCredential === kind && !found;
  const place = useRef<HTMLDivElement>(null);
  // A run that failed for want of it leads here.
  useEffect(() => {
    if (!isLacking || !stored.isSuccess) return;
    place.current?.querySelector("button")?.focus();
  }, [isLacking, stored.isSuccess]);
  const label = `Credential: ${types.find(kind).name}`;
  const options = [
    ...fitting.map((one) => ({ value: one.id, label: one.name })),
    ...(chosen && !found
      ? [
          {
            value: chosen.id ?? chosen.name,
            label: chosen.name,
            ...(missing && { hint: "not found" }),
          },
        ]
      : []),
    ...(!required && chosen ? [{ value: NO_OPTION, label: "None" }] : []),
    { value: NEW_OPTION, label: "Create new credential…" },
  ];
  const choose = (value: string) => {
    setResult(null);
    if (value === NEW_OPTION) return setDialog("new");
    if (value === NO_OPTION) return setCredential(kind, undefined);
    const one = fitting.find((credential) => credential.id === value);
    if (one) setCredential(kind, { id: one.id, name: one.name });
  };
  const test = async () => {
    if (!found) return;
    setResult("busy");
    setResult(
      await testCredential(found.id).catch((error: Error) => ({
        status: "Error" as const,
        message: error.message,
      })),
    );
  };
  return (
    <FieldFrame
      label={label}
      required={required}
      error={
        missing
          ? MISSING_TEXT
          : isLacking
            ? "Select a credential. The last run failed without one."
            : null
      }
    >
      {stored.error ? (
        <ErrorState error={stored.error} onRetry={() => void stored.refetch()} />
      ) : (
        <div className={css.beside} ref={place}>
          {fitting.length === 0 && !chosen && !readOnly && stored.isSuccess ? (
            <Button icon={Plus} onClick={() => setDialog("new")}>
              Create credential
            </Button>
          ) : (
            <Select
              value={found?.id ?? chosen?.id ?? chosen?.name}
              onChange={choose}
              options={options}
              label={label}
              disabled={readOnly}
            />
          )}
          {found && (
            <>
              <IconButton
                icon={PencilLine}
                label="Edit credential"
                onClick={() => setDialog("edit")}
              />
              <Button size="small" busy={result === "busy"} onClick={() => void test()}>
                Test
              </Button>
            </>
          )}
        </div>
      )}
      {result && result !== "busy" && (
        <p className={result.status === "OK" ? css.good : css.error} role="status">
          {result.message}
        </p>
      )}
      {dialog && (
        <Suspense fallback={null}>
          <CredentialDialog
            open
            kind={kind}
            credential={dialog === "edit" ? found : undefined}
            onClose={() => setDialog(null)}
            onSaved={(saved) => setCredential(kind, { id: saved.id, name: saved.name })}
          />
        </Suspense>
      )}
    </FieldFrame>
  );
}
