// SPDX-License-Identifier: GPL-3.0-or-later
/// How journals call what the window shows.
#pragma once

#include <QAbstractScrollArea>
#include <QString>

namespace tw {

/// Of a pane its own, else from the words: "LLVM IR" -> "llvm_ir".
QString view_name(QString const& tab_text);
/// The name of what is scrolled; empty: it has none.
QString scroll_name(QAbstractScrollArea const* area);

}  // namespace tw
