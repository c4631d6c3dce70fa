// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/kernels/kernel_cells.h"

#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {

using session::KernelKey;
using session::KernelRow;
using session::KernelTable;

namespace {

constexpr double kGap = 4, kTitle = 44, kBeforeWords = 8;

double width_of(KernelKey key) {
  switch (key) {
    case KernelKey::kTime:
      return 66;
    case KernelKey::kShare:
      return 62;
    case KernelKey::kRoof:
      return 44;
    case KernelKey::kCount:
      return 34;
    case KernelKey::kBytes:
      return 62;
    case KernelKey::kState:
      return 62;
    case KernelKey::kBound:
      return 80;
    case KernelKey::kOperators:
      return 140;
    default:
      return 84;
  }
}

bool is_of_words(KernelKey key) {
  return key == KernelKey::kWork || key == KernelKey::kState || key == KernelKey::kBound ||
         key == KernelKey::kOperators;
}

/// The cells of one line end at the right; words that begin it take what is left.
void place_line(std::vector<KernelCell>& cells, size_t first, double room) {
  double right = room;
  for (size_t i = cells.size(); i-- > first;) {
    KernelCell& cell = cells[i];
    cell.left = right - cell.wide;
    right = cell.left - kGap;
  }
  for (size_t i = first; i < cells.size(); ++i)
    if (cells[i].of_words) {
      double before = i == first ? cells[i].left : -kBeforeWords;
      cells[i].wide += before;
      cells[i].left -= before;
    }
}

/// How near to its roof, or where it ran, as the roofs are of another device.
QString roof_words(KernelRow const& row) {
  if (!row.device.empty()) return QString::fromStdString(row.device).section(':', -1);
  if (!row.helper.empty()) return QString::fromStdString(row.helper).section(':', -1);
  return row.fraction_of_roof ? QString::fromStdString(percent_text(*row.fraction_of_roof))
                              : QStringLiteral("·");
}

}  // namespace

KernelCells place_cells(std::vector<KernelKey> const& columns, double room) {
  KernelCells placed;
  size_t first = 0;
  double used = 0;
  for (KernelKey key : columns) {
    KernelCell cell{key, placed.lines - 1, 0, width_of(key), is_of_words(key)};
    bool begins = placed.cells.size() == first;
    double title =
        placed.lines == 1 && !(begins ? cell.of_words : placed.cells[first].of_words) ? kTitle : 0;
    if (!begins && used + kGap + cell.wide + title > room) {
      place_line(placed.cells, first, room);
      first = placed.cells.size();
      cell.line = placed.lines++;
      used = 0;
    }
    used += cell.wide + (placed.cells.size() == first ? 0 : kGap);
    placed.cells.push_back(cell);
  }
  place_line(placed.cells, first, room);
  return placed;
}

QString operations_words(KernelRow const& row) {
  QString millions = paint::number(double(row.flops) / 1e6);
  return millions + (row.integers ? QStringLiteral(" MOP") : QStringLiteral(" MFLOP"));
}

QString work_words(KernelRow const& row) {
  bool moves = row.roof ? row.roof->moves_data : row.flops * 4 < row.bytes;
  if (moves) return paint::bytes(row.roof ? int64_t(row.roof->bytes) : row.bytes);
  if (row.roof && row.roof->unit == "GOP/s")  // of integers
    return QString("%1 MOP").arg(paint::number(row.roof->value * row.roof->ms));
  return operations_words(row);
}

QString time_words(KernelRow const& row) {
  auto known = session::time_of(row);
  if (!known) return QStringLiteral("·");
  QString time = QString::fromStdString(milliseconds_text(*known));
  if (!row.time_ms) return QStringLiteral("○ ") + time;  // as everywhere: modelled
  return row.disturbed ? QStringLiteral("▲ ") + time : time;
}

QString cell_words(KernelTable const& table, KernelRow const& row, KernelKey key) {
  switch (key) {
    case KernelKey::kWork:
      return work_words(row);
    case KernelKey::kTime:
      return time_words(row);
    case KernelKey::kShare:
      if (auto share = share_of(table, row)) return QString::fromStdString(share_text(*share));
      return QStringLiteral("·");
    case KernelKey::kRoof:
      return roof_words(row);
    case KernelKey::kCount:
      return QStringLiteral("×%1").arg(row.count);
    case KernelKey::kBytes:
      return paint::bytes(row.bytes);
    case KernelKey::kState:
      return QString::fromStdString(session::state_word(row.state));
    case KernelKey::kBound:
      return row.roof ? QString::fromStdString(session::bound_word(row)) : QStringLiteral("·");
    case KernelKey::kOperators:
      return QString::fromStdString(row.operators);
    default:
      return {};
  }
}

QString kernel_words(KernelTable const& table, KernelRow const& row) {
  QString words = QString("%1\n%2\n%3, %4")
                      .arg(QString::fromStdString(row.name), QString::fromStdString(row.operators),
                           operations_words(row), paint::bytes(row.bytes));
  if (row.roof)
    words += QString("\nat best %1: %2")
                 .arg(QString::fromStdString(milliseconds_text(row.roof->ms)),
                      QString::fromStdString(row.roof->words));
  if (session::time_of(row)) words += row.time_ms ? "\ntime" : "\n○ modelled time";
  if (session::time_of(row))
    words += row.state == session::KernelState::kHand ? " with your schedule"
                                                      : " with the default schedule";
  if (!row.device.empty()) words += ", on " + QString::fromStdString(row.device);
  if (auto share = share_of(table, row))
    words += QString("\n%1 of the time of %2")
                 .arg(QString::fromStdString(share_text(*share)),
                      share->at_most ? QStringLiteral("all kernels; some have no time yet")
                                     : QStringLiteral("all kernels"));
  if (!row.helper.empty()) words += "\nruns on " + QString::fromStdString(row.helper);
  if (!row.stays_because.empty())
    words += "\nstays here: " + QString::fromStdString(row.stays_because);
  if (row.disturbed) words += ", measured while other programs used the processor";
  return words;
}

}  // namespace tw
