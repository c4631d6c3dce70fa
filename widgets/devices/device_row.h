// SPDX-License-Identifier: GPL-3.0-or-later
/// What the view of devices shows of one device: words and figures, made elsewhere.
#pragma once

#include <QString>
#include <vector>

namespace tw {

enum class DeviceWord : uint8_t { kAsking, kReady, kBusy, kUnreachable, kDescribed };

struct DeviceFigure {
  QString name, value;
  bool operator==(DeviceFigure const&) const = default;
};
struct DeviceRoof {
  QString name;
  bool compute = false;
  double value = 0;
  QString unit;  ///< of it: "GFLOP/s", "GOP/s" or "GB/s"
};
/// A line of a device's log.
struct DeviceLogLine {
  QString time;  ///< "17:03:11.250"
  QString word;  ///< "timed"
  QString text;
  bool bad = false;
};
/// What happened in one part of the last minutes.
struct DeviceActivity {
  int calls = 0, failures = 0;
};

struct DeviceRow {
  QString name, address;
  DeviceWord word = DeviceWord::kAsking;
  QString since;                   ///< "since 17:03:11", or what it is busy with
  QString trouble;                 ///< a sentence about why it cannot be reached
  QString machine;                 ///< "AMD EPYC, 2 cores, 23.5 GB"
  QString answers, speed, memory;  ///< three short figures; empty where not known
  std::vector<DeviceFigure> figures;
  std::vector<DeviceRoof> roofs;
  std::vector<DeviceActivity> activity;  ///< oldest first
  bool answers_now = false;
  bool in_use = false;
  bool runs_part = false;  ///< of the model, beside the device in use
  bool simulated = false;  ///< by this machine: it is there while it is in use
  bool described = false;  ///< no device at all: nothing runs there
  bool fixed = false;      ///< this machine, or described: cannot be removed
};

/// What a person gives for a new device; files may be empty.
struct NewDevice {
  QString name, address, certificate, token_file;
  double timeout_seconds = 0;
};

}  // namespace tw
