/** Who has an account, what each may do, and invitations. */
import { Ellipsis, KeyRound, Smartphone, Trash2, UserPlus } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/session";
import { ListSection } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  Badge,
  Button,
  confirm,
  Field,
  FormDialog,
  IconButton,
  Menu,
  Select,
  TextArea,
  Time,
  toast,
  tryAction,
} from "../../ui";
import { LinkDialog } from "./LinkDialog";
import {
  changeRole,
  createResetLink,
  deleteUser,
  displayName,
  type Invitation,
  inviteUsers,
  parseEmails,
  ROLE_LABELS,
  ROLES,
  removeTwoFactor,
  type UserRow,
  useUsers,
} from "./userApi";

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "role", label: "Role", width: "180px" },
  { id: "since", label: "Created", width: "130px" },
];

export function UserSettings() {
  const people = useUsers();
  const me = useMe();
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<readonly Invitation[] | null>(null);
  const [reset, setReset] = useState<{ person: UserRow; link: string } | null>(null);
  const mayTouch = (person: UserRow) => person.id !== me.data?.id && person.role !== "global:owner";
  const remove = async (person: UserRow) => {
    const text =
      "They will be signed out and lose access. Their personal project moves to the first owner.";
    const sure = await confirm({
      title: `Remove ${displayName(person)}?`,
      text,
      action: "Remove",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteUser(person.id))))
      toast({ text: `${displayName(person)} removed` });
  };
  const removeApp = async (person: UserRow) => {
    const sure = await confirm({
      title: `Remove the authenticator app of ${displayName(person)}?`,
      text: "Their password alone will be enough to sign in. Do this if they have lost their phone and recovery codes.",
      action: "Remove app",
      danger: true,
    });
    if (sure && (await tryAction(() => removeTwoFactor(person.id))))
      toast({ text: `Authenticator app of ${displayName(person)} removed` });
  };
  const newLink = (person: UserRow) =>
    tryAction(async () => setReset({ person, link: await createResetLink(person.id) }));
  return (
    <ListSection
      text="Admins see everything. Editors and viewers see their own project and projects shared with them."
      actions={
        <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
          Invite users
        </Button>
      }
      query={people}
      lines={4}
      label="Users"
      columns={COLUMNS}
      rowKey={(person) => person.id}
      render={(person, column) => {
        if (column === "since") return <Time at={person.createdAt} />;
        if (column === "role") {
          if (!mayTouch(person)) return ROLE_LABELS[person.role ?? ""] ?? person.role;
          return (
            <Select
              dense
              label={`Role of ${displayName(person)}`}
              value={person.role}
              options={ROLES}
              onChange={(role) => void tryAction(() => changeRole(person.id, role))}
            />
          );
        }
        return (
          <>
            <div className={layout.row}>
              <span className={layout.name}>{displayName(person)}</span>
              {person.isPending && <Badge tone="wait">Invited</Badge>}
              {person.mfaEnabled && <Badge>Two-factor</Badge>}
              {person.id === me.data?.id && <Badge>You</Badge>}
            </div>
            {displayName(person) !== person.email && (
              <div className={layout.faint}>{person.email}</div>
            )}
          </>
        );
      }}
      rowActions={(person) =>
        mayTouch(person) && (
          <Menu
            trigger={
              <IconButton
                icon={Ellipsis}
                label={`Actions for ${displayName(person)}`}
                size="small"
              />
            }
            items={[
              {
                label: person.isPending ? "Create invitation link" : "Create password reset link",
                icon: KeyRound,
                onSelect: () => void newLink(person),
              },
              ...(person.mfaEnabled
                ? [
                    {
                      label: "Remove authenticator app",
                      icon: Smartphone,
                      onSelect: () => void removeApp(person),
                    },
                  ]
                : []),
              null,
              { label: "Remove", icon: Trash2, danger: true, onSelect: () => void remove(person) },
            ]}
          />
        )
      }
    >
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
          title="Share these links"
          text="Heddle does not send email. Each link works once and expires after a week. Create a new one from the user's menu."
          links={invited.map(({ user, error }) => ({
            name: user.email,
            link: user.inviteAcceptUrl,
            error,
          }))}
          onClose={() => setInvited(null)}
        />
      )}
      {reset && (
        <LinkDialog
          title={`Password reset for ${displayName(reset.person)}`}
          text="Share this link. It works once and expires after a day."
          links={[{ name: reset.person.email, link: reset.link }]}
          onClose={() => setReset(null)}
        />
      )}
    </ListSection>
  );
}

function InviteDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (answer: Invitation[]) => void;
}) {
  const [text, setText] = useState("");
  const [role, setRole] = useState("global:member");
  const { addresses, wrong } = parseEmails(text);
  const send = async () => onDone(await inviteUsers(addresses, role));
  return (
    <FormDialog
      title="Invite users"
      size="small"
      action={addresses.length > 1 ? `Invite ${addresses.length} users` : "Invite"}
      disabled={addresses.length === 0 || wrong.length > 0}
      onSubmit={send}
      onClose={onClose}
    >
      <Field
        label="Email addresses"
        hint="Separate several with commas or line breaks."
        error={wrong.length > 0 ? `Invalid email address: ${wrong.join(", ")}` : undefined}
      >
        <TextArea value={text} onChange={(event) => setText(event.target.value)} autoFocus />
      </Field>
      <Field label="Role">
        <Select label="Role" value={role} options={ROLES} onChange={setRole} />
      </Field>
    </FormDialog>
  );
}
