/** Who has an account, what each may do, and invitations. */
import { Ellipsis, KeyRound, Trash2, UserPlus } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/session";
import {
  attempt,
  Badge,
  Button,
  confirm,
  Dialog,
  Field,
  IconButton,
  Menu,
  Problem,
  Select,
  Skeleton,
  Table,
  TextArea,
  Time,
  toast,
  useTask,
} from "../../ui";
import layout from "../layout.module.css";
import { LinkDialog } from "./LinkDialog";
import {
  addressesIn,
  changeRole,
  type Invitation,
  invite,
  nameOf,
  type Person,
  ROLE_WORDS,
  ROLES,
  removePerson,
  resetLink,
  usePeople,
} from "./peopleData";

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "role", label: "Role", width: "180px" },
  { id: "since", label: "Since", width: "130px" },
];

export function People() {
  const people = usePeople();
  const me = useMe();
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<readonly Invitation[] | null>(null);
  const [reset, setReset] = useState<{ person: Person; link: string } | null>(null);
  const mayTouch = (person: Person) => person.id !== me.data?.id && person.role !== "global:owner";
  const remove = async (person: Person) => {
    const text = "They are signed out and cannot come back. What is in their personal project goes to the first owner.";
    const sure = await confirm({ title: `Remove ${nameOf(person)}?`, text, action: "Remove", danger: true });
    if (sure && (await attempt(() => removePerson(person.id)))) toast({ text: `${nameOf(person)} was removed` });
  };
  const newLink = (person: Person) => attempt(async () => setReset({ person, link: await resetLink(person.id) }));
  return (
    <>
      <div className={layout.toolbar}>
        <p className={layout.quiet}>
          Admins see everything. Editors and viewers see their own project, and those they are let into.
        </p>
        <span className={layout.push}>
          <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
            Invite people
          </Button>
        </span>
      </div>
      {people.isPending && <Skeleton lines={4} />}
      {people.error && <Problem error={people.error} onRetry={() => void people.refetch()} />}
      {people.data && (
        <Table
          label="People"
          columns={COLUMNS}
          rows={people.data}
          rowKey={(person) => person.id}
          render={(person, column) => {
            if (column === "since") return <Time at={person.createdAt} />;
            if (column === "role") {
              if (!mayTouch(person)) return ROLE_WORDS[person.role ?? ""] ?? person.role;
              return (
                <Select
                  dense
                  label={`Role of ${nameOf(person)}`}
                  value={person.role}
                  options={ROLES}
                  onChange={(role) => void attempt(() => changeRole(person.id, role))}
                />
              );
            }
            return (
              <>
                <div className={layout.row}>
                  <span className={layout.name}>{nameOf(person)}</span>
                  {person.isPending && <Badge tone="wait">Invited</Badge>}
                  {person.id === me.data?.id && <Badge>You</Badge>}
                </div>
                {nameOf(person) !== person.email && <div className={layout.faint}>{person.email}</div>}
              </>
            );
          }}
          actions={(person) =>
            mayTouch(person) && (
              <Menu
                trigger={<IconButton icon={Ellipsis} label={`Actions for ${nameOf(person)}`} size="small" />}
                items={[
                  {
                    label: person.isPending ? "New invitation link" : "Link for a new password",
                    icon: KeyRound,
                    onSelect: () => void newLink(person),
                  },
                  null,
                  { label: "Remove", icon: Trash2, danger: true, onSelect: () => void remove(person) },
                ]}
              />
            )
          }
        />
      )}
      {inviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onDone={(answer) => {
            setInviting(false);
            setInvited(answer);
          }}
        />
      )}
      {invited && (
        <LinkDialog
          title="Pass these links on"
          text="Heddle sends no mail. Each link works once, for a week; a new one can be made from the person's menu."
          links={invited.map(({ user, error }) => ({ name: user.email, link: user.inviteAcceptUrl, error }))}
          onClose={() => setInvited(null)}
        />
      )}
      {reset && (
        <LinkDialog
          title={`A new password for ${nameOf(reset.person)}`}
          text="Pass this link on. It works once, for a day."
          links={[{ name: reset.person.email, link: reset.link }]}
          onClose={() => setReset(null)}
        />
      )}
    </>
  );
}

function InviteDialog({ onClose, onDone }: { onClose: () => void; onDone: (answer: Invitation[]) => void }) {
  const [text, setText] = useState("");
  const [role, setRole] = useState("global:member");
  const task = useTask();
  const { addresses, wrong } = addressesIn(text);
  const send = () => task.run(async () => onDone(await invite(addresses, role)));
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} disabled={addresses.length === 0 || wrong.length > 0} onClick={send}>
        {addresses.length > 1 ? `Invite ${addresses.length} people` : "Invite"}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title="Invite people" size="small" footer={footer}>
      <div className={layout.stack}>
        <Field
          label="E-mail addresses"
          hint="Several with commas or lines between."
          error={wrong.length > 0 ? `No address: ${wrong.join(", ")}` : undefined}
        >
          <TextArea value={text} onChange={(event) => setText(event.target.value)} autoFocus />
        </Field>
        <Field label="Role">
          <Select label="Role" value={role} options={ROLES} onChange={setRole} />
        </Field>
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
