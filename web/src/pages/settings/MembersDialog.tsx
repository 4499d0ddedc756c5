/** Who is in a project, and what each may do there. */
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import {
  addMember,
  changeMember,
  PROJECT_ROLES,
  type Project,
  type ProjectRole,
  removeMember,
  useMembers,
} from "../../api/projects";
import { useIsAdmin } from "../../api/session";
import layout from "../../shared/layout.module.css";
import {
  AsyncContent,
  Button,
  Dialog,
  ErrorState,
  Field,
  IconButton,
  Input,
  Select,
  tryAction,
  useAsyncAction,
} from "../../ui";
import styles from "./Settings.module.css";
import { displayName, useUsers } from "./userApi";

export function MembersDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const members = useMembers(project.id);
  const isAdmin = useIsAdmin();
  const people = useUsers(isAdmin);
  const [person, setPerson] = useState("");
  const [role, setRole] = useState<ProjectRole>("project:editor");
  const task = useAsyncAction();
  const others = (people.data ?? []).filter(
    (one) => !members.data?.some((member) => member.id === one.id),
  );
  const add = async () => {
    if (person.trim() !== "" && (await task.run(() => addMember(project.id, person.trim(), role))))
      setPerson("");
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Members of ${project.name}`}
      footer={<Button onClick={onClose}>Done</Button>}
    >
      <div className={layout.stack}>
        <AsyncContent query={members} lines={3} />
        <ul className={styles.members}>
          {members.data?.map((member) => (
            <li key={member.id} className={layout.row}>
              <div className={layout.fill}>
                <div className={layout.name}>{displayName(member)}</div>
                {displayName(member) !== member.email && (
                  <div className={layout.faint}>{member.email}</div>
                )}
              </div>
              <Select
                dense
                className={layout.choice}
                label={`Role of ${displayName(member)}`}
                value={member.role}
                options={PROJECT_ROLES}
                onChange={(next) =>
                  void tryAction(() => changeMember(project.id, member.id, next as ProjectRole))
                }
              />
              <IconButton
                icon={UserMinus}
                label={`Remove ${displayName(member)}`}
                size="small"
                onClick={() => void tryAction(() => removeMember(project.id, member.id))}
              />
            </li>
          ))}
          {members.data?.length === 0 && (
            <li className={layout.quiet}>No members yet. Admins can see every project.</li>
          )}
        </ul>
        <form
          className={styles.addMember}
          onSubmit={(event) => {
            event.preventDefault();
            void add();
          }}
        >
          <Field
            label="Add member"
            hint={isAdmin ? undefined : "Enter a user ID. Ask an admin for it."}
          >
            {isAdmin ? (
              <Select
                label="User"
                value={person || undefined}
                onChange={setPerson}
                placeholder={others.length === 0 ? "All users are members" : "Select a user"}
                disabled={others.length === 0}
                options={others.map((one) => ({
                  value: one.id,
                  label: displayName(one),
                  hint: one.email,
                }))}
              />
            ) : (
              <Input value={person} onChange={(event) => setPerson(event.target.value)} />
            )}
          </Field>
          <Select
            className={layout.choice}
            label="Role"
            value={role}
            options={PROJECT_ROLES}
            onChange={(next) => setRole(next as ProjectRole)}
          />
          <Button
            kind="primary"
            type="submit"
            icon={UserPlus}
            busy={task.busy}
            disabled={person.trim() === ""}
          >
            Add
          </Button>
        </form>
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </div>
    </Dialog>
  );
}
