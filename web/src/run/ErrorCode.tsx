// A code of an error that leads to its page: what it means, in whose hands it is, and what to do about it.

import { BookOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { Dialog, Loading, Markdown } from "../ui";
import css from "./RunProblem.module.css";

export function ErrorCode({ code }: { code: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={css.code}
        onClick={() => setOpen(true)}
        aria-label={`What ${code} means`}
      >
        <code>{code}</code>
        <BookOpen size={12} aria-hidden />
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={code} size="normal">
        <ErrorPage code={code} />
      </Dialog>
    </>
  );
}

function ErrorPage({ code }: { code: string }) {
  const [text, setText] = useState<string | null | undefined>();
  useEffect(() => {
    let isHere = true;
    import("./errorPages").then(
      ({ loadErrorPage }) => isHere && setText(loadErrorPage(code)),
      () => isHere && setText(null),
    );
    return () => {
      isHere = false;
    };
  }, [code]);
  if (text === undefined) return <Loading />;
  return text === null ? (
    <p>No documentation for {code} in this version.</p>
  ) : (
    <Markdown text={text} />
  );
}
