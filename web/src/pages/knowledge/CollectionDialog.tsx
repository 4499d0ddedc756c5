/** Makes a collection, or changes its name, words and credential. */
import { useState } from "react";
import { Link } from "wouter";
import { Button, Dialog, Field, Input, Problem, Select, TextArea, useTask } from "../../ui";
import { useCredentials } from "../credentials/data";
import { kindOf } from "../credentials/kinds";
import layout from "../layout.module.css";
import { type Collection, changeCollection, createCollection, EMBEDDERS } from "./data";

interface Props {
  collection?: Collection;
  onClose: () => void;
  onDone: (collection: Collection | undefined) => void;
}

export function CollectionDialog({ collection, onClose, onDone }: Props) {
  const credentials = useCredentials();
  const usable = (credentials.data ?? []).filter((credential) => credential.type in EMBEDDERS);
  const [name, setName] = useState(collection?.name ?? "");
  const [description, setDescription] = useState(collection?.description ?? "");
  const [credential, setCredential] = useState(collection?.credentialId ?? undefined);
  const [model, setModel] = useState(collection?.embeddingModel ?? "");
  const [asked, setAsked] = useState(false);
  const task = useTask();
  const chosen = usable.find((one) => one.id === credential);
  const save = async () => {
    setAsked(true);
    if (name.trim() === "") return;
    await task.run(async () => {
      const words = { name: name.trim(), description: description.trim() };
      const using = credential ? { credentialId: credential } : {};
      if (collection) {
        await changeCollection(collection.id, { ...words, ...using });
        return onDone(undefined);
      }
      onDone(await createCollection({ ...words, ...using, ...(model.trim() ? { embeddingModel: model.trim() } : {}) }));
    });
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={save}>
        {collection ? "Save" : "Make collection"}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={collection ? `Change ${collection.name}` : "New collection"} footer={footer}>
      <div className={layout.stack}>
        <Field
          label="Name"
          required
          error={asked && name.trim() === "" ? "A name is needed." : undefined}
          hint="Nodes find the collection by it."
        >
          <Input
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={128}
            placeholder="handbook"
            autoFocus
          />
        </Field>
        <Field label="What is in it">
          <TextArea rows={2} value={description} onChange={(event) => setDescription(event.target.value)} maxLength={1000} />
        </Field>
        <Field label="Credential" hint="Pays for turning texts into vectors. A local Ollama does it for nothing.">
          <Select
            label="Credential"
            value={credential}
            onChange={setCredential}
            placeholder={usable.length === 0 ? "None that has embedding models" : "Choose a credential"}
            disabled={usable.length === 0}
            options={usable.map((one) => ({ value: one.id, label: one.name, hint: kindOf(one.type).name }))}
          />
        </Field>
        {credentials.isSuccess && usable.length === 0 && (
          <p className={layout.note}>
            To add documents here, <Link href="/credentials?new">make a credential</Link> of OpenAI, Azure, Gemini, Mistral,
            Cohere or Ollama. A workflow can fill the collection with its own embedding node, too.
          </p>
        )}
        {!collection && (
          <Field
            label="Embedding model"
            hint="All documents of a collection are embedded by the same one; it cannot be changed later."
          >
            <Input
              value={model}
              onChange={(event) => setModel(event.target.value)}
              maxLength={200}
              placeholder={chosen ? EMBEDDERS[chosen.type] : "The usual one of the provider"}
            />
          </Field>
        )}
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
