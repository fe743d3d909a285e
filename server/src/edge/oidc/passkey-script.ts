/**
 * The one script on the pages of sign-in: it asks the browser for a passkey and puts the answer into the form. A passkey
 * can be asked for in no other way. The policy of the page allows this text by its digest, and no other.
 */
export const passkeyScript = `
(() => {
  const form = document.getElementById('passkey');
  const field = form.elements.namedItem('passkey');
  const problem = document.getElementById('passkey-problem');
  const bytesOf = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const textOf = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const ask = async () => {
    const options = JSON.parse(form.dataset.options);
    const { id, type, response } = await navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytesOf(options.challenge),
        allowCredentials: options.allowCredentials.map((each) => ({ ...each, id: bytesOf(each.id) })),
      },
    });
    return JSON.stringify({
      id, rawId: id, type, clientExtensionResults: {},
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        authenticatorData: textOf(response.authenticatorData),
        signature: textOf(response.signature),
      },
    });
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    problem.hidden = true;
    ask().then(
      (answer) => { field.value = answer; form.submit(); },
      () => { problem.hidden = false; },
    );
  });
  form.hidden = !window.PublicKeyCredential;
})();
`;
