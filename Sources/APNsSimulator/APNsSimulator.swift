/// Apple's push service for tests and demonstrations.
package enum APNsSimulator {}
