/** Who is in a project, and what each may do there. */
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { useIsAdmin } from "../../api/session";
import { attempt, Button, Dialog, Field, IconButton, Input, Problem, Select, Skeleton, useTask } from "../../ui";
import layout from "../layout.module.css";
import { nameOf, usePeople } from "./peopleData";
import { addMember, changeMember, PROJECT_ROLES, type Project, type ProjectRole, removeMember, useMembers } from "./projectData";
import styles from "./Settings.module.css";

export function MembersDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const members = useMembers(project.id);
  const isAdmin = useIsAdmin();
  const people = usePeople(isAdmin);
  const [person, setPerson] = useState("");
  const [role, setRole] = useState<ProjectRole>("project:editor");
  const task = useTask();
  const others = (people.data ?? []).filter((one) => !members.data?.some((member) => member.id === one.id));
  const add = async () => {
    if (person.trim() !== "" && (await task.run(() => addMember(project.id, person.trim(), role)))) setPerson("");
  };
  return (
    <Dialog open onClose={onClose} title={`Members of ${project.name}`} footer={<Button onClick={onClose}>Done</Button>}>
      <div className={layout.stack}>
        {members.isPending && <Skeleton lines={3} />}
        {members.error && <Problem error={members.error} onRetry={() => void members.refetch()} />}
        <ul className={styles.members}>
          {members.data?.map((member) => (
            <li key={member.id} className={layout.row}>
              <div className={layout.fill}>
                <div className={layout.name}>{nameOf(member)}</div>
                {nameOf(member) !== member.email && <div className={layout.faint}>{member.email}</div>}
              </div>
              <Select
                dense
                className={layout.choice}
                label={`Role of ${nameOf(member)}`}
                value={member.role}
                options={PROJECT_ROLES}
                onChange={(next) => void attempt(() => changeMember(project.id, member.id, next as ProjectRole))}
              />
              <IconButton
                icon={UserMinus}
                label={`Take ${nameOf(member)} out`}
                size="small"
                onClick={() => void attempt(() => removeMember(project.id, member.id))}
              />
            </li>
          ))}
          {members.data?.length === 0 && <li className={layout.quiet}>Nobody yet, besides the admins, who see every project.</li>}
        </ul>
        <form
          className={styles.addMember}
          onSubmit={(event) => {
            event.preventDefault();
            void add();
          }}
        >
          <Field label="Add somebody" hint={isAdmin ? undefined : "The id of a person, which an admin can tell you."}>
            {isAdmin ? (
              <Select
                label="Person"
                value={person || undefined}
                onChange={setPerson}
                placeholder={others.length === 0 ? "Everybody is in it" : "Choose a person"}
                disabled={others.length === 0}
                options={others.map((one) => ({ value: one.id, label: nameOf(one), hint: one.email }))}
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
          <Button kind="primary" type="submit" icon={UserPlus} busy={task.busy} disabled={person.trim() === ""}>
            Add
          </Button>
        </form>
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
