// Markdown turned into parts of the page. Markup in it is shown, never carried out.
import Parser from "react-markdown";
import gfm from "remark-gfm";

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

export default function MarkdownRenderer({ text }: { text: string }) {
  return (
    <Parser remarkPlugins={[gfm]} components={parts}>
      {text}
    </Parser>
  );
}
