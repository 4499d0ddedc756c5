/** Shows links that work once, to be passed on. */

import layout from "../../shared/layout.module.css";
import { Button, CopyButton, Dialog } from "../../ui";

interface Props {
  title: string;
  text: string;
  links: readonly { name: string; link?: string; error?: string }[];
  onClose: () => void;
}

export function LinkDialog({ title, text, links, onClose }: Props) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className={layout.stack}>
        <p className={layout.quiet}>{text}</p>
        {links.map(({ name, link, error }) => (
          <div key={name}>
            <div className={layout.name}>{name}</div>
            {link ? (
              <div className={layout.secret}>
                <span>{link}</span>
                <CopyButton text={link} label={`Copy link for ${name}`} />
              </div>
            ) : (
              <p className={layout.quiet}>{error}</p>
            )}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
