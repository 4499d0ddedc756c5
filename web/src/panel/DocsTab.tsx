/** The page about a node: what it does, its parameters, examples that were run. */

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import { urlPath } from "../api/url";
import { ErrorState, Markdown, Skeleton } from "../ui";
import css from "./DocsTab.module.css";

export function DocsTab({ type, version }: { type: string; version: number }) {
  const page = useQuery({
    queryKey: ["node-docs", type, version],
    queryFn: () => api.get<{ markdown: string }>(urlPath`/node-types/${type}/docs`, { version }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (page.error) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />;
  if (!page.data) return <Skeleton lines={10} />;
  return (
    <article className={css.docs}>
      <Markdown text={page.data.markdown} />
    </article>
  );
}
