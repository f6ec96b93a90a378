/** Opens dialogs where a browser does not know `command`, and closes them by a click beside them. */

const knowsCommands = 'command' in HTMLButtonElement.prototype;

for (const button of document.querySelectorAll<HTMLButtonElement>('button[commandfor]')) {
  if (knowsCommands) break;
  const dialog = document.getElementById(button.getAttribute('commandfor') ?? '');
  if (dialog instanceof HTMLDialogElement) button.addEventListener('click', () => dialog.showModal());
}

for (const dialog of document.querySelectorAll('dialog')) {
  dialog.addEventListener('click', (event) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const inside =
      event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    // Enter in a form of it is a click at no place.
    if (event.target === dialog && !inside && event.detail > 0) dialog.close();
  });
}
