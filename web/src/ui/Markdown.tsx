// Markdown as people write it in notes and models in answers. Markup in it is shown, never carried out.
import Parser from "react-markdown";
import gfm from "remark-gfm";
import css from "./Markdown.module.css";

const parts = {
  a: ({ href, children }: { href?: string; children?: React.ReactNode }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Pictures would tell their server who reads this; a link leaves that to the reader.
  img: ({ src, alt }: { src?: string | Blob; alt?: string }) =>
    typeof src === "string" ? (
      <a href={src} target="_blank" rel="noreferrer noopener">
        {alt || src}
      </a>
    ) : null,
};

export function Markdown({ text }: { text: string }) {
  return (
    <div className={css.markdown}>
      <Parser remarkPlugins={[gfm]} components={parts}>
        {text}
      </Parser>
    </div>
  );
}
