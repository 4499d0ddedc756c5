// Markdown as people write it in notes and models in answers; the bare text until what reads it has arrived.
import { lazy, Suspense } from "react";
import css from "./Markdown.module.css";

// What reads Markdown is large, and the first sight of most pages does without it.
const MarkdownRenderer = lazy(() => import("./MarkdownRenderer"));

export function Markdown({ text }: { text: string }) {
  return (
    <div className={css.markdown}>
      <Suspense fallback={<p className={css.bare}>{text}</p>}>
        <MarkdownRenderer text={text} />
      </Suspense>
    </div>
  );
}
