"""Django OAuth Toolkit as an installation of its own: its pages, its database, its keys.

Only two things are ours: the settings, and the form of access tokens. The toolkit makes random ones, and an api that
verifies tokens by itself needs signed ones, so they are signed with the key and the names that the toolkit publishes.

    issuer.py FOLDER PORT KEY [OLD_KEY ...]   keys are files in PEM; the first one signs
"""

import json
import sys
import time
import uuid
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from oauthlib.common import generate_token

folder, port, *keys = sys.argv[1:]
issuer = f"http://127.0.0.1:{port}/o"
key, *old_keys = [Path(each).read_text() for each in keys]
lifetime_s = 300


def sign_access_token(request):
    from jwcrypto import jwk, jwt

    signer = jwk.JWK.from_pem(key.encode())
    now = int(time.time())
    user = getattr(request, "user", None)
    claims = {
        "iss": issuer,
        "aud": "gpuaas",
        "sub": str(user.pk) if user else request.client.client_id,
        "client_id": request.client.client_id,
        "scope": " ".join(request.scopes),
        "jti": str(uuid.uuid4()),
        "iat": now,
        "exp": now + lifetime_s,
    }
    if user and user.last_login:
        claims["auth_time"] = int(user.last_login.timestamp())
    token = jwt.JWT(header={"alg": "RS256", "typ": "at+jwt", "kid": signer.thumbprint()}, claims=claims)
    token.make_signed_token(signer)
    return token.serialize()


login_page = '<form method="post">{% csrf_token %}{{ form }}<button>Sign in</button></form>'
settings.configure(
    SECRET_KEY="of a test",
    DEBUG=False,
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    LOGIN_URL="/accounts/login/",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/issuer.sqlite"}},
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": login_page}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": issuer,
        "OIDC_RSA_PRIVATE_KEY": key,
        "OIDC_RSA_PRIVATE_KEYS_INACTIVE": old_keys,
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "SCOPES": {"openid": "Sign in", "projects:read": "Read projects"},
        "ACCESS_TOKEN_EXPIRE_SECONDS": lifetime_s,
        "ACCESS_TOKEN_GENERATOR": sign_access_token,
        # Without this the toolkit makes refresh tokens in the same way, and they would pass as access tokens.
        "REFRESH_TOKEN_GENERATOR": lambda request: generate_token(40),
        "PKCE_REQUIRED": True,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
    },
)
django.setup()

from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [
    path("accounts/login/", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]


def set_up():
    from django.contrib.auth.models import User
    from oauth2_provider.models import get_application_model

    call_command("migrate", verbosity=0)
    if User.objects.exists():
        return
    User.objects.create_user("anna", password="a sentence that nobody guesses")
    applications = get_application_model().objects
    applications.create(
        name="terminal",
        client_id="terminal",
        client_type="public",
        authorization_grant_type="authorization-code",
        redirect_uris="http://127.0.0.1/callback",
        algorithm="RS256",
    )
    applications.create(
        name="robot",
        client_id="robot",
        client_secret="a-secret-of-the-other-issuer",
        client_type="confidential",
        authorization_grant_type="client-credentials",
    )


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


set_up()
with make_server("127.0.0.1", int(port), get_wsgi_application(), Server, Quiet) as server:
    print(json.dumps({"issuer": issuer}), flush=True)
    server.serve_forever()
