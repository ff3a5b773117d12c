/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: interrupts come from the model. */
#ifndef CSKY_IRQFLAGS_H
#define CSKY_IRQFLAGS_H

#define local_save_flags(flags)		((flags) = csky_irqs_on())
#define local_irq_save(flags)		((flags) = csky_irqs_set(false))
#define local_irq_restore(flags)	((void)csky_irqs_set(flags))
#define local_irq_enable()		((void)csky_irqs_set(true))
#define local_irq_disable()		((void)csky_irqs_set(false))

#endif
