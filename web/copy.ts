/** A button beside each text that is shown once, where the browser lets a page copy. */

for (const area of document.querySelectorAll<HTMLTextAreaElement>('.copyable textarea')) {
  // Absent on pages that come over plain HTTP.
  if (!isSecureContext) break;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  const byHand = () => {
    area.select();
    button.textContent = 'Selected: copy it by hand';
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(area.value).then(() => (button.textContent = 'Copied'), byHand);
  });
  area.after(button);
}
