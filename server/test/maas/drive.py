"""Drives a MAAS region with the public client, from a new machine to an erased one. Prints what it saw as JSON."""

import json
import sys

from maas.client import connect
from maas.client.bones import CallError

url, key, system_id = sys.argv[1:4]
seen = []


def note(machine):
    seen.append([machine.status_name, machine.power_state.value])


client = connect(url, apikey=key)
listed = [machine.system_id for machine in client.machines.list()]
machine = client.machines.get(system_id=system_id)
note(machine)
machine.commission(wait=True, wait_interval=0.05)
note(machine)
machine.deploy(user_data=b"#cloud-config\n{}\n", distro_series="noble", wait=True, wait_interval=0.05)
note(machine)
machine.owner_data["gpuaas_node"] = "from the public client"
machine.save()
asked = machine.query_power_state().value
machine.release(erase=True, wait=True, wait_interval=0.05)
note(machine)
refused = 0
try:
    connect(url, apikey="x:y:z").machines.list()
except CallError as error:
    refused = error.status
print(json.dumps({"listed": listed, "seen": seen, "asked": asked, "refused": refused}))
