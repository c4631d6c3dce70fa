// SPDX-License-Identifier: GPL-3.0-or-later
/// Views as pictures: whole, also where only a part is seen.
#pragma once

#include <QByteArray>
#include <QImage>

class QWidget;

namespace tw {

/// Pixels of a picture for one of the screen.
inline constexpr int kPictureDensity = 2;
/// As the palette and menus call it.
inline constexpr char kSavePicture[] = "Save picture...";
inline constexpr char kCopyPicture[] = "Copy picture";

/// `caption`: lines above the view, what it is of, beside each other where there is room; empty:
/// none. What one acts with is left out.
QImage image_of(QWidget& view, QString const& caption = {});
/// Lines stay lines and words stay words.
QByteArray svg_of(QWidget& view, QString const& title, QString const& caption = {});
/// The same on one page of the view's size.
QByteArray pdf_of(QWidget& view, QString const& title, QString const& caption = {});
/// By the ending of a file's name, ".svg", ".png" or ".pdf"; empty: another one.
QByteArray picture_of(QWidget& view, QString const& title, QString const& file,
                      QString const& caption = {});

}  // namespace tw
