// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/devices/device_facts.h"

#include <QDateTime>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/backend/target_table.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kColumns = 56;
constexpr double kMinutes = 10;

QString duration(double seconds) {
  auto minutes = int64_t(seconds / 60);
  if (minutes < 60) return QString("%1 min").arg(minutes);
  if (minutes < 48 * 60) return QString("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
  return QString("%1 days %2 h").arg(minutes / 1440).arg(minutes / 60 % 24);
}

QString caches_text(Hardware const& hardware) {
  QStringList levels;
  for (MemoryLevel const& cache : hardware.caches()) {
    QString one = paint::bytes(cache.bytes) + " " + QString::fromStdString(cache.name);
    if (cache.shared_by > 1) one += QString(" for %1 cores").arg(cache.shared_by);
    levels << one;
  }
  return levels.join(", ");
}

/// "x86-64 · AVX-512": the backend knows what the features come to.
QString vectors_text(Hardware const& hardware) {
  QString registers =
      QString("%1 of %2 bits")
          .arg(QString::fromStdString(count_text(hardware.unit().vector_registers, "register")))
          .arg(hardware.unit().vector_bytes * 8);
  auto backend = create_backend(hardware);
  if (!backend) return registers;
  return QString::fromStdString((*backend)->target().title) + ", " + registers;
}

/// "Cores" of a processor; of another kind of unit its name: "Multiprocessors".
QString units_text(Hardware const& hardware) {
  std::string name = hardware.unit().name;
  QString words = QString::fromStdString(name.empty() ? "core" : name) + "s";
  return words.left(1).toUpper() + words.mid(1);
}

/// Half of the answer's time is how well a clock can be read from here.
QString clock_text(DeviceState const& state) {
  double ahead = state.clock_ahead_seconds * 1e3, within = state.clock_within_seconds * 1e3;
  if (std::abs(ahead) <= within)
    return QString("same as this machine's, within %1").arg(paint::time(within));
  return QString("%1 %2 this machine's, within %3")
      .arg(paint::time(std::abs(ahead)), ahead > 0 ? "ahead of" : "behind", paint::time(within));
}

void add_hardware(Hardware const& hardware, std::vector<DeviceFigure>& figures) {
  figures.push_back({"Processor", QString::fromStdString(hardware.name)});
  figures.push_back({"Kernels for", QString::fromStdString(kind_of(hardware))});
  if (hardware.unit().vector_registers > 0) figures.push_back({"Vectors", vectors_text(hardware)});
  figures.push_back({units_text(hardware), QString::number(hardware.unit().count)});
  if (QString caches = caches_text(hardware); !caches.isEmpty())
    figures.push_back({"Caches", caches});
  if (int64_t bytes = hardware.main_memory_bytes(); bytes > 0)
    figures.push_back({"Memory", paint::bytes(bytes)});
}

void add_answers(DeviceState const& state, std::vector<DeviceFigure>& figures) {
  if (state.answer_ms <= 0) return;  // a target that this machine is: nothing is asked
  figures.push_back(
      {"Answers in", QString("%1 at best, %2 at most of 5; %3 to connect")
                         .arg(paint::time(state.answer_ms), paint::time(state.answer_most_ms),
                              paint::time(state.connect_ms))});
  if (!state.status) return;
  figures.push_back({"Clock", clock_text(state)});
  if (state.status->uptime_seconds > 0)
    figures.push_back({"Up for", duration(state.status->uptime_seconds)});
  if (state.status->load >= 0)
    figures.push_back(
        {"Load", QString("%1 over the last minute").arg(state.status->load, 0, 'f', 2)});
  for (std::string const& way : state.status->open_ways)
    figures.push_back({"Not sandboxed", QString::fromStdString(way)});
}

QString place_here(std::string const& device) {
  if (is_described(device)) return "none: its figures follow from its description";
  bool simulated = std::ranges::count(simulated_device_names(), device) > 0;
  return simulated ? "simulated by this machine" : "this machine";
}

}  // namespace

std::vector<DeviceFigure> figures_of(DeviceState const& state, QString const& asked_at) {
  std::vector<DeviceFigure> figures;
  bool here = is_this_machine(state.entry.name) || is_described(state.entry.name);
  QString way = state.entry.certificate_file.empty() ? ", no TLS" : ", TLS";
  figures.push_back({"Address", here ? place_here(state.entry.name)
                                     : QString::fromStdString(state.entry.address) + way});
  if (state.hardware) {
    add_hardware(*state.hardware, figures);
    add_answers(state, figures);
  }
  if (state.entry.timeout_seconds > 0)
    figures.push_back({"Time limit of a call",
                       QString("at least %1 s").arg(state.entry.timeout_seconds, 0, 'f', 0)});
  if (!asked_at.isEmpty()) figures.push_back({"Asked at", asked_at});
  return figures;
}

std::vector<DeviceRoof> roofs_of(Roofs const& roofs) {
  std::vector<DeviceRoof> list;
  std::set<std::string> types;
  for (ComputeRoof const& one : roofs.compute) {
    if (!types.insert(one.type).second) continue;  // the best of each type
    QString name = QString::fromStdString(one.name);
    bool floats = one.type.starts_with('f') || one.type.starts_with("bf");
    QString unit = floats ? "GFLOP/s" : "GOP/s";
    list.push_back({name, true, one.rate.all_cores, unit});
    if (list.size() == 1 && one.rate.one_core != one.rate.all_cores)
      list.push_back({name + ", one core", true, one.rate.one_core, unit});
  }
  for (MemoryRoof const& memory : roofs.memory)
    list.push_back({QString::fromStdString(memory.name), false, memory.load.all_cores, "GB/s"});
  return list;
}

std::vector<DeviceLogLine> lines_of(std::vector<DeviceEvent> const& events) {
  std::vector<DeviceLogLine> lines;
  for (DeviceEvent const& event : events)
    lines.push_back(
        {QDateTime::fromMSecsSinceEpoch(qint64(event.unix_seconds * 1e3)).toString("hh:mm:ss.zzz"),
         word_of(event.kind), QString::fromStdString(event.text),
         event.kind == DeviceEvent::Kind::kFailed || event.kind == DeviceEvent::Kind::kLost});
  return lines;
}

std::vector<DeviceActivity> activity_of(std::vector<DeviceEvent> const& events, double now) {
  std::vector<DeviceActivity> columns(kColumns);
  double width = kMinutes * 60 / kColumns;
  for (DeviceEvent const& event : events) {
    double ago = now - event.unix_seconds;
    if (ago < 0 || ago >= kMinutes * 60) continue;
    DeviceActivity& column = columns[size_t(kColumns - 1 - int(ago / width))];
    ++column.calls;
    column.failures +=
        event.kind == DeviceEvent::Kind::kFailed || event.kind == DeviceEvent::Kind::kLost;
  }
  return columns;
}

}  // namespace tw
