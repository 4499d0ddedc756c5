/** The line under the title of one thing: the way back to all of them, and what is worth knowing at a glance. */
import { ChevronLeft } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import styles from "./Facts.module.css";

interface Props {
  back: ReactNode;
  facts: readonly ReactNode[];
  text?: string;
}

export function Facts({ back, facts, text }: Props) {
  return (
    <>
      {text && <span className={styles.text}>{text}</span>}
      <span className={styles.facts}>
        <ChevronLeft size={13} aria-hidden />
        {back}
        {facts
          .filter((fact) => fact !== null && fact !== "" && fact !== undefined)
          .map((fact, index) => (
            <Fragment key={index}>
              <span aria-hidden>·</span>
              <span>{fact}</span>
            </Fragment>
          ))}
      </span>
    </>
  );
}
