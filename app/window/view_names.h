// SPDX-License-Identifier: GPL-3.0-or-later
/// How journals call what the window shows.
#pragma once

#include <QAbstractScrollArea>
#include <QString>

namespace tw {

/// "LLVM IR" -> "llvm_ir"
QString view_name(QString const& tab_text);
/// The name of what is scrolled; empty: it has none.
QString scroll_name(QAbstractScrollArea const* area);

}  // namespace tw
