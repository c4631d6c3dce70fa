// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/devices/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_devices() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<SelectDevice>("devices select", "selects a device in its view",
                            Word(&SelectDevice::device, "NAME")),
          row<AddDevice>("devices add", "adds a machine that runs tw device serve",
                         Word(&AddDevice::device, "NAME"), Word(&AddDevice::address, "ADDRESS"),
                         Named<AddDevice, double>{&AddDevice::timeout_seconds, "timeout"},
                         Named<AddDevice, std::string>{&AddDevice::certificate, "ca"},
                         Named<AddDevice, std::string>{&AddDevice::token_file, "token-file"})
              .of(Who::kBoth),
          row<RemoveDevice>("devices remove", "removes a device from the list",
                            Word(&RemoveDevice::device, "NAME"))
              .of(Who::kBoth),
          row<CheckDevices>("devices check", "asks every device for its hardware and state"),
          row<AttachTeam>("devices attach-team",
                          "shows the queue of the team whose store is at this address, or none",
                          Word(&AttachTeam::address, "ADDRESS")),
          row<ShowTeam>("devices team", "shows the team's queue as its server has it now"),
      },
      {
          {"devices", "", "number of cards in the view of devices"},
          {"device.selected", "words", "name of the selected device"},
          {"device.state", "words",
           "state of the selected device: being asked, ready, busy or unreachable"},
          {"device.trouble", "words", "why the selected device cannot be reached, or none"},
          {"device.log", "words", "what happened on the selected device"},
          {"team.jobs", "words", "jobs of the attached team with their states, or none"},
          {"team.workers", "words", "workers of the attached team with their work, or none"},
          {"team.says", "words", "the message above the team's queue, or none"},
      }};
  return words;
}

}  // namespace tw
