/** Makes a collection, or changes its name, words and credential. */
import { useState } from "react";
import { Link } from "wouter";
import { useCredentials } from "../../credentials/credentialApi";
import { useCredentialTypes } from "../../credentials/credentialTypes";
import layout from "../../shared/layout.module.css";
import { Field, FormDialog, Input, Select, TextArea } from "../../ui";
import { type Collection, createCollection, EMBEDDERS, updateCollection } from "./knowledgeApi";

interface Props {
  collection?: Collection;
  onClose: () => void;
  onDone: (collection: Collection | undefined) => void;
}

export function CollectionDialog({ collection, onClose, onDone }: Props) {
  const credentials = useCredentials();
  const types = useCredentialTypes();
  const usable = (credentials.data ?? []).filter((credential) => credential.type in EMBEDDERS);
  const [name, setName] = useState(collection?.name ?? "");
  const [description, setDescription] = useState(collection?.description ?? "");
  const [credential, setCredential] = useState(collection?.credentialId ?? undefined);
  const [model, setModel] = useState(collection?.embeddingModel ?? "");
  const chosen = usable.find((one) => one.id === credential);
  const save = async () => {
    const words = { name: name.trim(), description: description.trim() };
    const using = credential ? { credentialId: credential } : {};
    if (collection) {
      await updateCollection(collection.id, { ...words, ...using });
      return onDone(undefined);
    }
    onDone(
      await createCollection({
        ...words,
        ...using,
        ...(model.trim() ? { embeddingModel: model.trim() } : {}),
      }),
    );
  };
  return (
    <FormDialog
      title={collection ? `Edit ${collection.name}` : "New collection"}
      action={collection ? "Save" : "Create collection"}
      invalid={name.trim() === ""}
      onSubmit={save}
      onClose={onClose}
    >
      <Field
        label="Name"
        required
        problem={name.trim() === "" ? "Enter a name." : undefined}
        hint="Nodes refer to the collection by this name."
      >
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={128}
          placeholder="handbook"
          autoFocus
        />
      </Field>
      <Field label="Description">
        <TextArea
          rows={2}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          maxLength={1000}
        />
      </Field>
      <Field label="Credential" hint="Used to create embeddings. A local Ollama is free.">
        <Select
          label="Credential"
          value={credential}
          onChange={setCredential}
          placeholder={
            usable.length === 0 ? "No credential with embedding models" : "Select a credential"
          }
          disabled={usable.length === 0}
          options={usable.map((one) => ({
            value: one.id,
            label: one.name,
            hint: types.find(one.type).name,
          }))}
        />
      </Field>
      {credentials.isSuccess && usable.length === 0 && (
        <p className={layout.note}>
          To add documents here, <Link href="/credentials?new">create a credential</Link> for
          OpenAI, Azure, Gemini, Mistral, Cohere or Ollama. Workflows can also fill the collection
          with their own embedding node.
        </p>
      )}
      {!collection && (
        <Field
          label="Embedding model"
          hint="Used for all documents in the collection. It cannot be changed later."
        >
          <Input
            value={model}
            onChange={(event) => setModel(event.target.value)}
            maxLength={200}
            placeholder={chosen ? EMBEDDERS[chosen.type] : "Provider default"}
          />
        </Field>
      )}
    </FormDialog>
  );
}
