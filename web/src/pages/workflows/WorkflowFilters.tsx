/** What the list of workflows is narrowed by; each narrowing is a chip that can be taken away. */

import { useProjects } from "../../api/projects";
import layout from "../../shared/layout.module.css";
import { Chip, SearchInput, Select } from "../../ui";
import { useTags } from "../../workflows/workflowApi";
import type { Status, WorkflowListView } from "../../workflows/workflowRows";

const STATUSES: { value: Status; label: string }[] = [
  { value: "all", label: "All" },
  { value: "active", label: "Active" },
  { value: "inactive", label: "Inactive" },
  { value: "archived", label: "Archived" },
];

export function WorkflowFilters({
  view,
  onView,
}: {
  view: WorkflowListView;
  onView: (change: Partial<WorkflowListView>) => void;
}) {
  const tags = useTags();
  const projects = useProjects();
  const others = (tags.data ?? []).filter((tag) => !view.tags.includes(tag.name));
  const project = projects.data?.find((one) => one.id === view.project);
  const hasChips = view.tags.length > 0 || project !== undefined;
  return (
    <>
      <div className={layout.toolbar}>
        <SearchInput
          className={layout.search}
          label="Search workflows"
          placeholder="Search workflows"
          value={view.text}
          onChange={(text) => onView({ text })}
        />
        <Select
          className={layout.choice}
          label="Status"
          value={view.status === "all" ? undefined : view.status}
          placeholder="Any status"
          options={STATUSES}
          onChange={(status) => onView({ status: status as Status })}
        />
        {(tags.data?.length ?? 0) > 0 && (
          <Select
            className={layout.choice}
            label="Tag"
            value={undefined}
            placeholder="Any tag"
            options={others.map((tag) => ({ value: tag.name, label: tag.name }))}
            onChange={(tag) => onView({ tags: [...view.tags, tag] })}
          />
        )}
        {(projects.data?.length ?? 0) > 1 && (
          <Select
            className={layout.choice}
            label="Project"
            value={view.project ?? undefined}
            placeholder="Any project"
            options={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
            onChange={(id) => onView({ project: id, folder: null })}
          />
        )}
      </div>
      {hasChips && (
        <div className={`${layout.chips} ${layout.filters}`}>
          {view.tags.map((tag) => (
            <Chip
              key={tag}
              label={tag}
              onRemove={() => onView({ tags: view.tags.filter((one) => one !== tag) })}
              removeLabel={`Remove tag filter ${tag}`}
            />
          ))}
          {project && (
            <Chip
              label={project.name}
              onRemove={() => onView({ project: null })}
              removeLabel="Remove project filter"
            />
          )}
        </div>
      )}
    </>
  );
}
